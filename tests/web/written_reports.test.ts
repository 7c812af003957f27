// SPDX-License-Identifier: MIT
//
// Reports written by the program, with one row and with several: every part shows the selected rows, and a
// part that fails does not affect the others and is rendered again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import type { Report } from "../../web/src/report/data";
import { launch } from "./browsers";
import { becomes, open, reportFile } from "./page";

const WIDE = { width: 1280, theme: "light" } as const;
const LOSSES: Record<number, string> = {
  1: "an",
  2: "an,p+s",
  3: "an,mask,p+s",
  8: "an,wan,ls,n-ls,focal,em,mask,p+s",
};

let browser: Browser;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "manyverbs-written-"));
  manyverbs("demo --only-features --train 60 --val 20 --test 20 --out kitchen");
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function manyverbs(words: string): void {
  execFileSync(process.env.MANYVERBS!, [...words.split(" "), "--quiet"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Trains a few tiny models and writes their report; returns the file. */
function written(rows: number): string {
  const training = "--seeds 1 --hidden 8 --lr 1e-3 --epochs 2";
  manyverbs(`compare kitchen --losses ${LOSSES[rows]} ${training} --out tables/${rows}`);
  manyverbs(`report tables/${rows} --out ${rows}.html`);
  return join(folder, `${rows}.html`);
}

function reportIn(file: string): Report {
  const [, text] = readFileSync(file, "utf8").match(/<script[^>]*id="report-data"[^>]*>([^]*?)<\/script>/)!;
  return JSON.parse(text!) as Report;
}

/** The number of rows shown by each part that depends on the selected rows. */
function shown(page: Page) {
  return page.evaluate(() => {
    const count = (part: string, what: string) =>
      [...document.querySelectorAll(`#experiment-1-${part} ${what}`)].length;
    const lines = (panel: Element) =>
      [...panel.querySelectorAll(".series[aria-label=line] path")].filter((path) =>
        /^M.*L/.test(path.getAttribute("d") ?? ""),
      ).length;
    const clips = [...document.querySelectorAll("#experiment-1-examples article")];
    return {
      failures: document.body.innerText.match(/cannot be shown.*/g) ?? [],
      labels: count("labels", ".chart g[aria-label=dot] path"),
      labelTitles: count("labels", ".chart g[aria-label='y-axis tick label'] text"),
      thresholds: [...document.querySelectorAll("#experiment-1-thresholds .panel")].map(lines),
      curves: count("curves", ".panel"),
      examples: [...new Set(clips.map((clip) => clip.querySelectorAll(".prediction").length))],
    };
  });
}

const all = (rows: number) => ({
  failures: [] as string[],
  labels: rows,
  labelTitles: rows,
  thresholds: rows ? [rows, rows, rows] : [],
  curves: rows,
  examples: [rows],
});

const tick = (page: Page, row: number) =>
  page.locator("#experiment-1-thresholds").getByRole("checkbox").nth(row).click();

for (const rows of [1, 2, 3, 8])
  test(`a report of ${rows} ${rows === 1 ? "row" : "rows"} shows every selection of rows in every chart`, async () => {
    const { page, complaints } = await open(browser, written(rows), WIDE);
    await becomes(() => shown(page), all(rows));
    assert.equal(await page.locator("#experiment-1-table tbody").first().locator("tr").count(), rows);
    const figures = await page.locator("figure").evaluateAll((each) => each.map((figure) => figure.id));
    for (const part of ["distribution", "relabelled", "samples", "number", "cooccurrence"])
      assert.ok(figures.includes(`dataset-1-${part}`), `${part} is not among ${figures.join()}`);
    if (rows > 1) {
      for (let row = 0; row < rows; row++) {
        await tick(page, row);
        await becomes(() => shown(page), all(rows - 1 - row));
      }
      for (let row = rows - 1; row >= 0; row--) {
        await tick(page, row);
        await becomes(() => shown(page), all(rows - row));
      }
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

/** A report whose last row makes only the predicted labels fail. */
function broken(change: (report: Report) => void): string {
  const report = reportIn(join(folder, "3.html"));
  const [experiment] = report.experiments;
  (experiment!.rows[2]!.cells.predicted_labels as { mean: unknown }).mean = {};
  experiment!.metrics = experiment!.metrics.filter((metric) => metric.key !== "predicted_labels");
  change(report);
  return reportFile(report);
}

test("a part that fails is rendered again when other rows are selected", async () => {
  const { page } = await open(
    browser,
    broken(() => {}),
    WIDE,
  );
  await page.locator("#experiment-1-thresholds").getByRole("button", { name: "None" }).click();
  await tick(page, 2);
  await page.getByText("This part cannot be shown: ").waitFor();
  assert.deepEqual((await shown(page)).thresholds, [1, 1, 1]);
  await tick(page, 2);
  await tick(page, 0);
  await becomes(() => shown(page), all(1));
  await page.context().close();
});

test("a chart that fails shows an error, and the charts below it are drawn", async () => {
  const unknownTruth = (report: Report) => (report.experiments[0]!.true_labels = null);
  const { page } = await open(browser, broken(unknownTruth), WIDE);
  await page.locator("#experiment-1-labels").getByText("This chart cannot be shown: ").waitFor();
  await becomes(async () => (await shown(page)).thresholds, [3, 3, 3]);
  await tick(page, 2);
  await becomes(() => shown(page), all(2));
  await page.context().close();
});
