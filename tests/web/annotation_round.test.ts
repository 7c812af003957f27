// SPDX-License-Identifier: MIT
//
// A whole round with the program itself: three people annotate ten clips in their browsers while a
// leader watches and the server dies in between; then the result is exported and a model evaluated on it.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import type { Overview } from "../../web/src/annotation/api";
import { CLIP } from "./annotation_clip";
import { plays, visit } from "./annotation_page";
import { becomes, launch } from "./page";
import { generator } from "./random";

const PROGRAM = process.env.MANYVERBS!;
const VERBS = ["cut", "peel", "wash", "open", "close", "take", "put", "pour", "stir", "mix", "turn", "dry"];
const NAMES = ["Anna", "Bo", "Chidi"];
const CLIPS = 10;
/** Milliseconds before each answer. */
const LOOK = 200;

let browser: Browser;
let folder: string;
let server: ChildProcess;
before(async () => {
  folder = mkdtempSync(pathOf(tmpdir(), "manyverbs-round-"));
  browser = await launch();
});
after(async () => {
  server?.kill("SIGKILL");
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function manyverbs(...words: string[]): string {
  return execFileSync(PROGRAM, words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** A float32 matrix in NumPy format. */
function npy(rows: number, columns: number, value: () => number): Buffer {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const header = Buffer.alloc(128, " ");
  header.write("\x93NUMPY\x01\x00", "latin1");
  header.writeUInt16LE(118, 8);
  header.write(shape, 10);
  header.write("\n", 127);
  return Buffer.concat([header, Buffer.from(Float32Array.from({ length: rows * columns }, value).buffer)]);
}

/** A data set of one video with constant features, a model, and the project. */
function prepare(): void {
  mkdirSync(pathOf(folder, "videos"));
  const splits = [
    ...Array(36).fill("train"),
    ...Array(6).fill("val"),
    ...Array(CLIPS).fill("test"),
  ] as string[];
  const rows = splits.map((split, at) => `clip${at},${split},${VERBS[at % VERBS.length]},videos/${at}.mp4`);
  splits.forEach((_, at) => writeFileSync(pathOf(folder, "videos", `${at}.mp4`), CLIP));
  writeFileSync(pathOf(folder, "clips.csv"), ["clip,split,labels,video", ...rows, ""].join("\n"));
  const classes = VERBS.map((verb, at) => `${at},${verb}`);
  writeFileSync(pathOf(folder, "classes.csv"), ["id,name", ...classes, ""].join("\n"));
  writeFileSync(pathOf(folder, "x.npy"), npy(splits.length, 8, generator(5).normal));
  manyverbs(
    ...["import", "arrays", "--clips", "clips.csv", "--classes", "classes.csv", "--features", "x.npy"],
    ...["--out", "kitchen", "--quiet"],
  );
  manyverbs("train", "kitchen", "--hidden", "8", "--epochs", "1", "--out", "run", "--quiet");
  manyverbs(
    "annotate",
    "prepare",
    "kitchen",
    "--run",
    "run",
    "--choose",
    "all",
    "--out",
    "project",
    "--quiet",
  );
}

/** Starts the server; returns the URL that it prints, with the token at the first start. */
async function serve(port: string): Promise<string> {
  server = spawn(PROGRAM, ["annotate", "serve", "project", "--port", port], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: server.stdout! })) {
    const [address] = line.match(/http:\S+\/lead\S*/) ?? [];
    if (address) return address;
  }
  throw new Error("the server ended before it said where it is");
}

async function invite(leader: Page, name: string): Promise<string> {
  await leader.getByLabel("Name").fill(name);
  await leader.keyboard.press("Enter");
  const dialog = leader.getByRole("dialog", { name: "Personal link" });
  const link = await dialog.getByRole("textbox").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  return link;
}

const title = (page: Page) => page.locator("h1").innerText();

async function practise(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start the practice round" }).press("Enter");
  for (let clip = 1; clip <= 3; clip++) {
    await becomes(() => title(page), `Practice ${clip} of 3`);
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator(".feedback").waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press("Enter");
  }
  await page.locator(".progress").waitFor();
}

/** Answers clips with the keyboard until `count` are saved: "cut" if it is a candidate, otherwise the first verb. */
async function annotate(page: Page, saved: number): Promise<void> {
  const progress = () => page.locator(".progress").innerText();
  for (;;) {
    const [now] = (await progress()).split(" ");
    if (Number(now) >= saved) return;
    // At the start and after a lost connection, the next clip is still loading.
    await becomes(async () => /^Clip no\. \d+$/.test(await title(page)), true);
    const before = await title(page);
    await plays(page);
    await page.waitForTimeout(LOOK);
    const cut = page.getByRole("button", { name: "cut", exact: true });
    await page.keyboard.press((await cut.count()) ? (await cut.getAttribute("aria-keyshortcuts"))! : "1");
    await page.keyboard.press("Enter");
    // The next clip, or the last screen.
    await becomes(async () => (await title(page)) !== before, true);
    await becomes(async () => (await progress()) !== `${now} of ${CLIPS}`, true);
    await becomes(async () => /^(Clip no|Thank)/.test(await title(page)), true);
  }
}

test("three people annotate ten clips, the leader watches, the result evaluates a model", async () => {
  prepare();
  const address = await serve("0");
  const { port } = new URL(address);
  const { page: leader, complaints } = await visit(browser, address);
  await leader.getByLabel("Password", { exact: true }).fill("a long password");
  await leader.getByLabel("Repeat the password").fill("a long password");
  await leader.keyboard.press("Enter");
  await leader.getByRole("heading", { name: `0 of ${CLIPS} clips complete` }).waitFor();
  await leader.getByRole("link", { name: "People" }).click();
  const visits = [];
  for (const name of NAMES) visits.push(await visit(browser, await invite(leader, name)));
  const people = visits.map(({ page }) => page);
  await leader.getByRole("link", { name: "Progress" }).click();

  await Promise.all(people.map(practise));
  await Promise.all(people.map((page) => annotate(page, 4)));
  await Promise.all(people.map(plays));
  server.kill("SIGKILL");
  await Promise.all(
    people.map(async (page) => {
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
      await page.getByText("No connection to the server.").waitFor();
    }),
  );
  await serve(port);
  await Promise.all(people.map((page) => page.getByText("No connection").waitFor({ state: "detached" })));
  await Promise.all(people.map((page) => annotate(page, CLIPS)));
  for (const page of people) await becomes(async () => (await title(page)).startsWith("Thank you"), true);
  await leader.getByRole("heading", { name: `${CLIPS} of ${CLIPS} clips complete` }).waitFor();
  await becomes(() => leader.locator(".tile dd strong").first().innerText(), String(NAMES.length * CLIPS));

  await leader.getByRole("link", { name: "People" }).click();
  await becomes(() => leader.locator(".people tbody tr").count(), NAMES.length);
  const noted = [complaints, ...visits.map((each) => each.complaints)].flat();
  assert.deepEqual(noted, []);
  server.kill("SIGTERM");

  manyverbs("annotate", "export", "project", "--format", "jsonl", "--out", "answers.jsonl");
  const raw = readFileSync(pathOf(folder, "answers.jsonl"), "utf8").trim().split("\n");
  assert.equal(raw.length, NAMES.length * CLIPS);
  const times = raw.map((line) => (JSON.parse(line) as { ms: number }).ms);
  // Answers without a server are fast, and busy machines show clips late.
  const watched = times.filter((ms) => ms > LOOK / 2);
  assert.ok(watched.length > raw.length / 2, `milliseconds: ${times.join()}`);
  const status = JSON.parse(manyverbs("annotate", "status", "project", "--json")) as Overview;
  for (const person of status.people) {
    assert.equal(person.compared, CLIPS);
    assert.ok(person.warnings.includes("few_verbs"), "everybody chose one verb per clip");
  }
  const lines = manyverbs("annotate", "status", "project").split("\n");
  assert.equal(lines.filter((line) => /! .*few verbs/.test(line)).length, NAMES.length);
  manyverbs("annotate", "export", "project", "--out", "annotated");
  const evaluated = JSON.parse(manyverbs("evaluate", "run", "--dataset", "annotated", "--json")) as {
    map: number;
  };
  assert.ok(evaluated.map >= 0 && evaluated.map <= 1);
});
