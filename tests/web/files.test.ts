// SPDX-License-Identifier: MIT
//
// Saved charts and data match the report.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { launch } from "./browsers";
import { NASTY } from "./names";
import { open, reportFile } from "./page";
import { fullReport } from "./sample";

const report = fullReport();
let browser: Browser;
let page: Page;
let complaints: string[];
before(async () => {
  browser = await launch();
  ({ page, complaints } = await open(browser, reportFile(report), { width: 1280, theme: "dark" }));
});
after(async () => {
  await browser.close();
  assert.deepEqual(complaints, []);
});

async function saved(figure: string, kind: "SVG" | "CSV"): Promise<string> {
  const download = page.waitForEvent("download").catch((error) => {
    throw new Error(`${figure}: no file: ${complaints.join("; ") || error}`);
  });
  await page
    .locator(`#${figure}`)
    .getByRole("button", { name: `Save ${kind}` })
    .click();
  const text = readFileSync(await (await download).path(), "utf8");
  // Chromium allows a page at most ten downloads per second.
  await page.waitForTimeout(120);
  return text;
}

/** The fields of a CSV text, by RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const raw = match[1]!;
    row.push(raw.startsWith('"') ? raw.slice(1, -1).replace(/""/g, '"') : raw);
    if (match[2] === ",") continue;
    rows.push(row);
    row = [];
  }
  assert.equal(
    rows.reduce((sum, each) => Math.max(sum, each.length), 0),
    rows[0]!.length,
  );
  return rows;
}

async function savedRows(figure: string): Promise<Record<string, string>[]> {
  const [head, ...rows] = parse(await saved(figure, "CSV"));
  return rows.map((row) => {
    assert.equal(row.length, head!.length);
    return Object.fromEntries(row.map((value, at) => [head![at]!, value]));
  });
}

const number = (text: string | undefined) => (text === "" ? null : Number(text));

test("the table's CSV has every mean, deviation and published value", async () => {
  const rows = await savedRows("experiment-1-table");
  report.experiments[0]!.rows.forEach((row, at) => {
    assert.equal(rows[at]!.row, row.title);
    for (const { key } of report.experiments[0]!.metrics) {
      assert.equal(number(rows[at]![`${key}_mean`]), row.cells[key]!.mean);
      assert.equal(number(rows[at]![`${key}_deviation`]), row.cells[key]!.deviation);
    }
    assert.equal(number(rows[at]!.f1_published_mean), row.published.f1!.mean);
  });
});

test("the curves' CSV has every epoch of every run, empty for null", async () => {
  const rows = await savedRows("experiment-1-curves");
  const runs = report.experiments[0]!.runs.filter((run) => run.curve);
  assert.equal(
    rows.length,
    runs.reduce((sum, run) => sum + run.curve!.epoch.length, 0),
  );
  const line = rows.find((row) => row.run === "mask-2" && row.epoch === "4")!;
  const curve = runs.find((run) => run.name === "mask-2")!.curve!;
  assert.equal(number(line.train_loss), curve.train_loss[3]);
  assert.equal(number(line.validation_loss), null);
  assert.equal(number(line.score), curve.score[3]);
});

test("the CSV of thresholds, sweep, classes, pairs, clips and votes match the report", async () => {
  const [first, , sweep] = report.experiments;
  const thresholds = await savedRows("experiment-1-thresholds");
  assert.deepEqual(
    thresholds.filter((row) => row.row === "EM").map((row) => number(row.f1)),
    first!.thresholds[5]!.f1,
  );
  const map = await savedRows("experiment-3-map");
  assert.deepEqual(
    map.map((row) => number(row.f1_mean)),
    sweep!.rows.map((row) => row.cells.f1!.mean),
  );
  const classes = await savedRows("dataset-1-distribution");
  assert.deepEqual(new Set(classes.map((row) => row.class)), new Set(report.datasets[0]!.classes));
  for (const name of Object.values(NASTY)) {
    const at = report.datasets[0]!.classes.indexOf(name);
    const row = classes.find((each) => each.class === name)!;
    assert.deepEqual(
      [number(row.single_labels), number(row.multi_labels)],
      [report.datasets[0]!.single[at], report.datasets[0]!.multi[at]],
    );
  }
  const pairs = await savedRows("dataset-1-cooccurrence");
  const shares = report.datasets[0]!.cooccurrence.rows.flat().filter((share) => share !== null && share > 0);
  assert.deepEqual(
    pairs.map((row) => number(row.share)),
    shares,
  );
  const examples = await savedRows("experiment-1-examples");
  assert.ok(examples.some((row) => row.class === NASTY.quotes && row.outcome === "correct"));
  const votes = await savedRows("dataset-1-pseudo-0");
  assert.equal(
    votes.length,
    report.datasets[0]!.pseudo_labels[0]!.clips.reduce((sum, clip) => sum + clip.votes.length, 0),
  );
});

test("every SVG is standalone: well-formed, light, no variables, scripts or addresses", async () => {
  const figures = await page
    .locator("figure:has(button[aria-label^='Save SVG'])")
    .evaluateAll((all) => all.map((figure) => figure.id));
  for (const figure of figures) {
    const text = await saved(figure, "SVG");
    const found = await page.evaluate((xml) => {
      const parsed = new DOMParser().parseFromString(xml, "image/svg+xml");
      const attributes = [...parsed.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
      return {
        error: parsed.querySelector("parsererror")?.textContent ?? null,
        root: parsed.documentElement.localName,
        height: Number(parsed.documentElement.getAttribute("height")),
        marks: parsed.querySelectorAll("g[aria-label] :is(path, rect, circle, line, text)").length,
        scripts: parsed.querySelectorAll("script, foreignObject").length,
        unresolved: attributes
          .filter((each) => /var\(|currentColor|https?:\/\/(?!www\.w3\.org)/.test(each.value))
          .map((each) => each.value),
        background: parsed.querySelector("svg > rect")?.getAttribute("fill"),
      };
    }, text);
    const { height, marks, ...rest } = found;
    assert.deepEqual(
      rest,
      { error: null, root: "svg", scripts: 0, unresolved: [], background: "#ffffff" },
      figure,
    );
    assert.ok(height > 100 && marks > 0, `${figure}: ${marks} marks, ${height} pixels high`);
  }
});

const texts = (xml: string) =>
  page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return [...parsed.querySelectorAll("text")].map((each) => each.textContent);
  }, xml);

test("figures of clips are text in SVG, with the colours of the paper's marks", async () => {
  const svg = await saved("experiment-1-examples", "SVG");
  assert.match(svg, /fill="#6d4c00"/); // part right
  const examples = await texts(svg);
  const last = report.experiments[0]!.examples.at(-1)!;
  for (const line of [last.clip, last.truth.join(", "), "Mask", "P+S"])
    assert.ok(examples.includes(line), `${line} is not among ${examples.join("\n")}`);
  const samples = await texts(await saved("dataset-1-samples", "SVG"));
  const sample = report.datasets[0]!.relabelled!.samples[7]!;
  for (const line of [sample.clip, sample.original, `+ ${sample.added.join(", ")}`])
    assert.ok(samples.includes(line), `${line} is not among ${samples.join("\n")}`);
  const rows = await savedRows("dataset-1-samples");
  assert.equal(rows[7]!.added, sample.added.join(";"));
  const counts = await savedRows("dataset-1-relabelled");
  const { original, all } = report.datasets[0]!.relabelled!;
  const [first] = counts;
  const at = report.datasets[0]!.classes.indexOf(first!.class!);
  assert.deepEqual([number(first!.single_labels), number(first!.multi_labels)], [original[at], all[at]]);
});

test("the heat map's SVG has the values of the report", async () => {
  const text = await saved("experiment-3-map", "SVG");
  for (const row of report.experiments[2]!.rows) {
    const mean = row.cells.f1!.mean;
    assert.ok(text.includes(`>${mean === null ? "–" : (100 * mean).toFixed(1)}<`), `${row.title} is missing`);
    assert.ok(
      text.includes(`>(${(100 * row.published.f1!.mean).toFixed(1)})<`),
      `${row.title}, published, is missing`,
    );
  }
});

test("the thresholds' SVG names its lines", async () => {
  const text = await saved("experiment-1-thresholds", "SVG");
  for (const row of report.experiments[0]!.rows)
    assert.ok(text.includes(`>${row.title}<`), `${row.title} is missing`);
});
