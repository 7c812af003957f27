// SPDX-License-Identifier: MIT
//
// All controls can be used with the keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";

import { launch } from "./browsers";
import { becomes, open, reportFile } from "./page";
import { fullReport } from "./sample";

const WIDE = { width: 1280, theme: "light" } as const;
let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("the first Tab shows a link to skip to the results", async () => {
  const { page } = await open(browser, reportFile(fullReport()), WIDE);
  await page.keyboard.press("Tab");
  await becomes(() => page.evaluate(() => document.activeElement!.className), "skip");
  const box = await page.locator(".skip").boundingBox();
  assert.ok(box!.y >= 0, "the link is not in sight when it has the focus");
  await page.keyboard.press("Enter");
  await becomes(() => page.evaluate(() => document.activeElement!.id), "content");
  await page.context().close();
});

test("Tab reaches every control, and each has a visible focus", async () => {
  const full = fullReport();
  const { page, complaints } = await open(
    browser,
    reportFile({ ...full, experiments: full.experiments.slice(0, 1) }),
    WIDE,
  );
  const wanted = await page.evaluate(() => {
    const controls =
      "a[href], button:not(:disabled), select, input:not([type=radio]), input[type=radio]:checked, summary, [tabindex='0']";
    const all = [...document.querySelectorAll<HTMLElement>(controls)];
    all.forEach((control, at) => (control.dataset.control = String(at)));
    return all.length;
  });
  // Video players contain controls that are focusable too.
  for (let press = 0; press < 2 * wanted + 50; press++) {
    await page.keyboard.press("Tab");
    const back = await page.evaluate(() => {
      const now = document.activeElement as HTMLElement;
      if (now.dataset.reached) return now.className === "skip";
      now.dataset.reached = "yes";
      if (now.dataset.control && getComputedStyle(now).outlineStyle === "none") now.dataset.unseen = "yes";
      return false;
    });
    if (back) break;
  }
  const left = await page.evaluate(() => {
    const describe = (element: Element) => element.outerHTML.slice(0, 120);
    return {
      unreached: [...document.querySelectorAll("[data-control]:not([data-reached])")].map(describe),
      unseen: [...document.querySelectorAll("[data-unseen]")].map(describe),
    };
  });
  assert.deepEqual(left, { unreached: [], unseen: [] });
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("Enter and Space save, choose and open", async () => {
  const { page, complaints } = await open(browser, reportFile(fullReport()), WIDE);
  const figure = page.locator("#experiment-1-curves");
  for (const [name, key] of [
    ["Save SVG: Training curves", "Enter"],
    ["Save CSV: Training curves", "Space"],
  ] as const) {
    const download = page.waitForEvent("download");
    await figure.getByRole("button", { name }).press(key);
    assert.match((await download).suggestedFilename(), /^kitchen-first-training-curves\.(svg|csv)$/);
  }
  const panels = () => figure.locator(".panel").count();
  await becomes(panels, 8);
  await figure.getByRole("checkbox").first().press("Space");
  await becomes(panels, 7);
  await figure.getByRole("button", { name: "All" }).press("Enter");
  await becomes(panels, 8);
  await figure.getByRole("radio").first().press("ArrowRight");
  await figure.locator('.chart svg[aria-label*="score against epoch"]').first().waitFor();
  await figure.locator("summary").press("Enter");
  await becomes(() => figure.locator("details tbody tr").count(), 200);

  const heading = page.locator("#experiment-1-table").getByRole("button", { name: "F1", exact: true });
  await heading.press("Enter");
  await becomes(() => page.locator("#experiment-1-table th[aria-sort=descending]").count(), 1);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the co-occurrence values of a class are shown", async () => {
  const { page } = await open(browser, reportFile(fullReport()), WIDE);
  const figure = page.locator("#dataset-1-cooccurrence");
  await figure.getByLabel("Show values of class").selectOption({ index: 3 });
  assert.match(await figure.locator(".readout").innerText(), /Of the clips with verb 94, \d+ % have verb/);
  await page.context().close();
});
