// SPDX-License-Identifier: MIT
//
// A whole round with the program itself: three people annotate ten clips in their browsers while a
// leader watches and the server dies in between; then the result is exported and a model evaluated on it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join as pathOf } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import type { Overview } from "../../web/src/annotation/api";
import { plays, signIn, visit } from "./annotation_page";
import { invite, practise, Program, setPassword, title } from "./annotation_program";
import { launch } from "./browsers";
import { becomes } from "./page";

const NAMES = ["Anna", "Bo", "Chidi"];
const CLIPS = 10;
/** Milliseconds before each answer. */
const LOOK = 200;

let browser: Browser;
let program: Program;
before(async () => {
  program = new Program();
  browser = await launch();
});
after(async () => {
  await browser.close();
  program.remove();
});

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
  program.makeDataset(CLIPS);
  program.prepare("project");
  const { address, server } = await program.serve("project", "0");
  const { port } = new URL(address);
  const { page: leader, complaints } = await visit(browser, address);
  await setPassword(leader);
  await leader.getByRole("heading", { name: `0 of ${CLIPS} clips complete` }).waitFor();
  await leader.getByRole("link", { name: "People" }).click();
  const visits = [];
  for (const name of NAMES) {
    const visited = await visit(browser, await invite(leader, name));
    await signIn(visited.page);
    visits.push(visited);
  }
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
  const { server: another } = await program.serve("project", port);
  await Promise.all(people.map((page) => page.getByText("No connection").waitFor({ state: "detached" })));
  await Promise.all(people.map((page) => annotate(page, CLIPS)));
  for (const page of people) await becomes(async () => (await title(page)).startsWith("Thank you"), true);
  await leader.getByRole("heading", { name: `${CLIPS} of ${CLIPS} clips complete` }).waitFor();
  await becomes(() => leader.locator(".tile dd strong").first().innerText(), String(NAMES.length * CLIPS));

  await leader.getByRole("link", { name: "People" }).click();
  await becomes(() => leader.locator(".people tbody tr").count(), NAMES.length);
  const noted = [complaints, ...visits.map((each) => each.complaints)].flat();
  assert.deepEqual(noted, []);
  another.kill("SIGTERM");

  program.run("annotate", "export", "project", "--format", "jsonl", "--out", "answers.jsonl");
  const raw = readFileSync(pathOf(program.folder, "answers.jsonl"), "utf8").trim().split("\n");
  assert.equal(raw.length, NAMES.length * CLIPS);
  const times = raw.map((line) => (JSON.parse(line) as { ms: number }).ms);
  // Answers without a server are fast, and busy machines show clips late.
  const watched = times.filter((ms) => ms > LOOK / 2);
  assert.ok(watched.length > raw.length / 2, `milliseconds: ${times.join()}`);
  const status = JSON.parse(program.run("annotate", "status", "project", "--json")) as Overview;
  for (const person of status.people) {
    assert.equal(person.compared, CLIPS);
    assert.ok(person.warnings.includes("few_verbs"), "everybody chose one verb per clip");
  }
  const lines = program.run("annotate", "status", "project").split("\n");
  assert.equal(lines.filter((line) => /! .*few verbs/.test(line)).length, NAMES.length);
  program.run("annotate", "export", "project", "--out", "annotated");
  const evaluated = JSON.parse(program.run("evaluate", "run", "--dataset", "annotated", "--json")) as {
    map: number;
  };
  assert.ok(evaluated.map >= 0 && evaluated.map <= 1);
});
