// SPDX-License-Identifier: MIT
//
// The page in light and dark, wide and narrow.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";

import { launch } from "./browsers";
import { crampedLabels, faintTexts } from "./legibility";
import { becomes, open, reportFile, type Look } from "./page";
import { bareReport, fullReport } from "./sample";

const LOOKS: Look[] = [
  { width: 1280, theme: "light" },
  { width: 1280, theme: "dark" },
  { width: 360, theme: "light" },
  { width: 360, theme: "dark" },
];

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const look of LOOKS)
  for (const [name, report] of [
    ["full", fullReport()],
    ["bare", bareReport()],
  ] as const)
    test(`${name} report, ${look.width} pixels, ${look.theme}: legible, fits, no errors`, async () => {
      const { page, complaints } = await open(browser, reportFile(report), look);
      assert.deepEqual(await page.evaluate(crampedLabels), []);
      assert.deepEqual(await page.evaluate(faintTexts), []);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= look.width, `the page is ${width} pixels wide`);
      const theme = await page.evaluate(() => document.documentElement.dataset.theme);
      assert.equal(theme, look.theme);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

test("the selected theme overrides the system theme and is stored", async () => {
  const { page, complaints } = await open(browser, reportFile(bareReport()), { width: 800, theme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const lightBackground = await background();
  await page.getByLabel("Colours").selectOption("dark");
  await becomes(async () => (await background()) !== lightBackground, true);
  await page.reload();
  await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.getByLabel("Colours").selectOption("light");
  await becomes(background, lightBackground);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the printed page is light and without controls", async () => {
  const { page } = await open(browser, reportFile(fullReport()), { width: 1000, theme: "dark" });
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  assert.equal(
    await page
      .locator("nav:visible, button:not(.name):not(.sort):visible, select:visible, input:visible")
      .count(),
    0,
  );
  assert.deepEqual(await page.evaluate(faintTexts), []);
  await page.context().close();
});
