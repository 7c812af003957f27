// SPDX-License-Identifier: MIT
//
// The content of the report page; names are shown as plain text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { launch } from "./browsers";
import { NASTY } from "./names";
import { becomes, open, reportFile } from "./page";
import { generator } from "./random";
import { bareReport, fullReport } from "./sample";
import { dataset } from "./sample_dataset";

const WIDE = { width: 1280, theme: "light" } as const;
const report = fullReport();
let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function withPage(
  what: Parameters<typeof reportFile>[0],
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, complaints } = await open(browser, reportFile(what), WIDE);
  await look(page);
  assert.deepEqual(complaints, []);
  await page.context().close();
}

/** Number of shapes in each chart, by id. */
function shapes(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => {
    const counts: Record<string, number> = {};
    for (const figure of document.querySelectorAll("figure")) {
      const marks = figure.querySelectorAll(".chart svg g[aria-label] :is(path, rect, circle, line)");
      if (figure.querySelector(".chart")) counts[figure.id] = marks.length;
    }
    return counts;
  });
}

test("every chart is shown and has marks", () =>
  withPage(report, async (page) => {
    const counts = await shapes(page);
    const expected: Record<string, number> = {
      "experiment-1-labels": 8,
      "experiment-1-thresholds": 3 * 8,
      // Two lines per successful run.
      "experiment-1-curves": 2 * 39,
      "experiment-2-labels": 4,
      "experiment-2-thresholds": 3 * 4,
      "experiment-2-curves": 2 * 12,
      "experiment-3-map": 2 * 24 - 1,
      "experiment-3-labels": 1,
      "experiment-3-thresholds": 3,
      "experiment-3-curves": 2,
      "dataset-1-distribution": 60,
      "dataset-1-relabelled": 60,
      "dataset-1-number": 7,
      "dataset-1-cooccurrence": 97,
      "dataset-1-pseudo-0": 4,
      "dataset-1-pseudo-1": 4,
    };
    assert.deepEqual(Object.keys(counts).sort(), Object.keys(expected).sort());
    for (const [id, least] of Object.entries(expected))
      assert.ok(counts[id]! >= least, `${id} has ${counts[id]} marks, at least ${least} were expected`);
    for (const label of await page
      .locator(".chart svg")
      .evaluateAll((all) => all.map((svg) => svg.ariaLabel)))
      assert.ok(label && label.length > 10, `a chart calls itself "${label}"`);
  }));

test("the table has mean and deviation in percent, best rows bold, published below", () =>
  withPage(report, async (page) => {
    const experiment = report.experiments[0]!;
    const cells = page.locator("#experiment-1-table tbody tr");
    for (const [at, row] of experiment.rows.entries()) {
      const cell = row.cells.f1!;
      const text = `${(100 * cell.mean!).toFixed(1)} ± ${(100 * cell.deviation!).toFixed(1)}`;
      const shown = cells.nth(at).locator("td").nth(3);
      assert.ok(
        (await shown.innerText()).startsWith(text),
        `${row.title}: ${await shown.innerText()} is not ${text}`,
      );
      assert.equal(await shown.locator("strong").count(), cell.best ? 1 : 0);
      const published = row.published.f1!;
      assert.equal(
        await shown.locator(".published").innerText(),
        `${(100 * published.mean).toFixed(1)} ± 0.4`,
      );
    }
    const headings = (id: string) => page.locator(`#${id} table`).first().locator("thead th").allInnerTexts();
    assert.equal((await headings("experiment-1-table")).at(-1), "mAP interp.");
    assert.equal((await headings("experiment-2-table")).at(-1), "mAP");
    assert.equal(await cells.first().locator("td").nth(4).locator(".published").innerText(), "25.8 ± 0.4");
    const notes = await page.locator("figure .how").allInnerTexts();
    assert.equal(notes.filter((note) => note.includes("best epoch on test")).length, 1);
    assert.match(
      await page.locator("#experiment-1-table .note").innerText(),
      /At expected: the threshold[^]*At best: [^]*an upper bound/,
    );
    assert.match(
      await page.locator("#experiment-1-table .failed").innerText(),
      /1 of 40 runs failed[^]*focal-5[^]*epoch 3/,
    );
  }));

test("names are shown as text and nothing in them runs", () =>
  withPage(report, async (page) => {
    for (const summary of await page.locator("summary").all()) await summary.click();
    await becomes(() => page.locator("details table").count(), await page.locator("summary").count());
    assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
    assert.equal(await page.locator("#page script, #page img, #page iframe").count(), 0);
    const text = (await page.locator("#page").textContent())!;
    for (const [kind, name] of Object.entries(NASTY))
      assert.ok(text.includes(name), `the ${kind} name is not shown whole`);
    assert.doesNotMatch(text, /\bNaN\b|undefined|Infinity|\[object/);
  }));

test("a long name expands on click", () =>
  withPage(report, async (page) => {
    const name = page.locator("#experiment-1-examples h4 button.name").first();
    const before = (await name.boundingBox())!.height;
    await name.press("Enter");
    await becomes(() => name.getAttribute("aria-expanded"), "true");
    assert.ok((await name.boundingBox())!.height > before);
  }));

test("labels of example clips have symbols, and rows can be selected", () =>
  withPage(report, async (page) => {
    const clip = page.locator("#experiment-1-examples article").nth(1);
    assert.equal(await clip.locator(".prediction").count(), 8);
    const example = report.experiments[0]!.examples[1]!;
    const [first] = example.predictions;
    const signs = await clip.locator(".prediction").first().locator("li.label").allInnerTexts();
    assert.equal(
      signs.filter((text) => text.startsWith("✓")).length,
      first!.labels.filter((label) => label.correct).length,
    );
    assert.equal(signs.filter((text) => text.startsWith("○")).length, first!.missed.length);
    await page.locator("#experiment-1-examples").getByRole("button", { name: "None" }).click();
    await page.locator("#experiment-1-examples").getByRole("checkbox").nth(6).check();
    await becomes(() => clip.locator(".prediction h5 .name").allInnerTexts(), ["Mask"]);
    assert.equal((await shapes(page))["experiment-1-labels"]! >= 1, true);
  }));

test("predictions have the paper's marks: all, part or none right, nothing predicted", () => {
  const marked = fullReport();
  const { predictions } = marked.experiments[0]!.examples[1]!;
  const marks = {
    all: "● all right",
    part: "◐ part right",
    none: "○ none right",
    nothing: "– nothing predicted",
  };
  const matches = Object.keys(marks) as (keyof typeof marks)[];
  matches.forEach((match, at) => (predictions[at]!.match = match));
  return withPage(marked, async (page) => {
    const clip = page.locator("#experiment-1-examples article").nth(1);
    const shown = await clip.locator(".prediction .match").allInnerTexts();
    assert.deepEqual(shown.slice(0, 4), Object.values(marks));
  });
});

test("samples show their original and added labels and play by themselves", () =>
  withPage(report, async (page) => {
    const samples = report.datasets[0]!.relabelled!.samples;
    const figure = page.locator("#dataset-1-samples");
    assert.equal(await figure.locator("article").count(), 6);
    await figure.getByRole("button", { name: "Show more clips" }).click();
    await becomes(() => figure.locator("article").count(), samples.length);
    const labels = (at: number) => figure.locator("article").nth(at).locator("li").allTextContents();
    assert.deepEqual(await labels(1), [
      `original label: ${samples[1]!.original}`,
      ...samples[1]!.added.map((name) => `+added label: ${name}`),
    ]);
    assert.match((await labels(2))[0]!, /^original label, removed: /);
    const video = figure.locator("video").first();
    await video.scrollIntoViewIfNeeded();
    await becomes(() => video.evaluate((player: HTMLVideoElement) => player.paused), false);
  }));

test("a video with any file name is found, and plays its range", () =>
  withPage(report, async (page) => {
    const video = page.locator("#experiment-1-examples video").first();
    await video.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector("video")!.readyState >= 1);
    assert.match((await video.getAttribute("src"))!, /^clip%20%231%2050%25\.wav#t=0\.5,1$/);
    assert.equal(await video.evaluate((player: HTMLVideoElement) => player.muted && player.loop), true);
    const time = () => video.evaluate((player: HTMLVideoElement) => player.currentTime);
    await becomes(time, 0.75); // its middle, until it is played from the start
    await video.evaluate((player: HTMLVideoElement) => {
      player.addEventListener("seeking", () => (player.title = String(player.currentTime)), { once: true });
      return player.play();
    });
    await becomes(() => video.evaluate((player: HTMLVideoElement) => player.title), "0.5");
  }));

test("with 4000 classes, the first are shown, more on demand, and all can be found", () =>
  withPage({ ...report, datasets: [dataset(generator(3), "large", 4000)], experiments: [] }, async (page) => {
    const figure = page.locator("#dataset-1-distribution");
    const names = () => figure.locator('[aria-label="y-axis tick label"]').last().locator("text").count();
    await becomes(names, 30);
    await figure.getByRole("button", { name: "Show more classes" }).click();
    await becomes(names, 60);
    await figure.getByLabel("Find a class").fill("verb 299");
    await becomes(names, 11);
    await figure.getByLabel("Find a class").fill("verb 3999");
    await figure.getByText("No clip has one of these").waitFor();
    await figure.getByLabel("Find a class").fill("no such class");
    await figure.getByText("No class name contains this text").waitFor();
  }));

test("a minimal report omits missing parts and shows null as a dash", () =>
  withPage(bareReport(), async (page) => {
    const ids = await page.locator("figure").evaluateAll((all) => all.map((figure) => figure.id));
    assert.deepEqual(ids, [
      "experiment-1-table",
      "experiment-1-labels",
      "experiment-1-thresholds",
      "experiment-1-curves",
      "experiment-1-examples",
      "experiment-2-table",
      "experiment-2-map",
      "dataset-1-distribution",
    ]);
    assert.equal(await page.locator("#experiment-1-table td").nth(3).innerText(), "–");
    const text = (await page.locator("#page").innerText())!;
    assert.doesNotMatch(text, /\bNaN\b|undefined|Infinity|\bnull\b/);
    assert.match(text, /no co-occurrence to show/);
    assert.match(text, /1 of 1 runs failed[^]*no memory/);
    await page.getByLabel("Score (Top-1)").check();
    await page.locator("#experiment-1-curves").getByText("no data for this selection").waitFor();
  }));

test("reports without experiments or data sets, and a page without a report, show a message", async () => {
  await withPage({ ...report, experiments: [], datasets: [] }, async (page) => {
    assert.match(await page.locator("main").innerText(), /no experiment and no data set/);
  });
  const page = await browser.newPage();
  await page.goto(pathToFileURL(process.env.REPORT_PAGE!).href);
  assert.match(await page.locator("main").innerText(), /contains no report/);
});

test("the page without data is small and makes no network requests", () => {
  const html = readFileSync(process.env.REPORT_PAGE!, "utf8");
  assert.ok(html.length < 700_000, `${html.length} bytes`);
  assert.match(html, /Content-Security-Policy"\s+content="default-src 'none'; script-src 'sha256-/);
});
