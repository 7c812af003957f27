// SPDX-License-Identifier: MIT
//
// Clips that have not been seen cannot be answered: clips that are loading, and clips that do not play. And
// practice answers can be changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";

import { CLIP } from "./annotation_clip";
import { annotating, chosen, settle, showsClip, title } from "./annotation_workspace";
import { plays } from "./annotation_page";
import { State } from "./annotation_state";
import { becomes } from "./page";

test("after a practice answer the verbs can be changed, and the feedback follows", () =>
  annotating(new State(3), { practised: false }, async ({ page }) => {
    await page.getByRole("heading", { name: "Welcome, Anna" }).waitFor();
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 1 of 2");
    await plays(page);
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    await page.getByText("if the verb applies, choose it;").waitFor();
    // The original label is "peel", the first verb of the practice clip.
    await page.keyboard.press("1");
    await becomes(() => chosen(page), ["peel", "close"]);
    await page.getByText("Another person labelled this clip peel, too.").waitFor();
    await page.keyboard.press("1");
    await page.getByText("if the verb applies, choose it;").waitFor();
  }));

/** Delays the requests for a clip until the returned function is called. */
async function holdClip(page: Page, name: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/clips/${name}.mp4`, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test("keys do not answer a clip that has not been shown", () =>
  annotating(new State(3), {}, async ({ page, server, who }) => {
    await showsClip(page, 1);
    const release = await holdClip(page, "3");
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Clip no. 3");
    await settle(page);
    for (const key of ["1", "2", "u", "Enter", "n", "Enter"]) await page.keyboard.press(key);
    await page.locator(".verb").first().click({ force: true });
    await page.getByText("Watch the clip first. It has not played yet.").waitFor();
    assert.deepEqual(await chosen(page), []);
    assert.equal(await title(page), "Clip no. 3");
    release();
    await plays(page);
    await becomes(() => page.locator(".hint").innerText(), "");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.get(3)?.chosen, [4]);
    assert.equal(who.answers.get(3)!.confident, true);
    assert.deepEqual(
      server.arrived.map(({ task }) => task),
      [1, 2, 3],
    );
  }));

test("a clip that does not play is skipped and reported, without an answer", () =>
  annotating(new State(4), {}, async ({ page, server, who }) => {
    server.clip = (name) => (name === "3" ? Buffer.from("no video at all") : CLIP);
    for (const number of [1, 2]) {
      await showsClip(page, number);
      await page.keyboard.press("x");
      assert.equal(await title(page), `Clip no. ${number}`, "a clip that plays is not skipped");
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
    }
    await page.getByText("The clip does not load.").waitFor();
    assert.equal(await title(page), "Clip no. 3");
    await settle(page);
    for (const key of ["1", "Enter"]) await page.keyboard.press(key);
    assert.equal(await title(page), "Clip no. 3");
    await page.keyboard.press("x");
    await showsClip(page, 4);
    await page.getByText("You reported that the previous clip does not play.").waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Thank you, Anna!" }).waitFor();
    await becomes(async () => [...who.answers.keys()], [1, 2, 4]);
    await becomes(async () => [...who.reported], [3]);
    await becomes(() => page.locator(".progress").innerText(), "3 of 3");
  }));

test("a clip that keeps loading can be skipped, also in the practice", () =>
  annotating(new State(3), { practised: false }, async ({ page, who }) => {
    const release = await holdClip(page, "p1");
    await page.clock.install();
    await page.getByRole("button", { name: "Start the practice round" }).click();
    await page.getByText("Loading the clip…").waitFor();
    await page.clock.runFor(11_000);
    await page.getByText("The clip is still loading.").waitFor();
    await page.getByRole("button", { name: "Skip this clip" }).click();
    await becomes(() => title(page), "Practice 2 of 2");
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator(".feedback").waitFor();
    await page.clock.runFor(1000);
    await page.getByRole("button", { name: "Next practice clip" }).click();
    await becomes(() => title(page), "Practice 1 of 2");
    await page.clock.runFor(11_000);
    await page.getByRole("button", { name: "Skip this clip" }).click();
    await page.getByText("You cannot start before this practice clip is answered.").waitFor();
    assert.equal(who.practised, false, "a clip that was skipped comes again");
    release();
  }));

test("the practice continues after the page was loaded again, and a leader can end it", () =>
  annotating(new State(3), { practised: false }, async ({ page, who }) => {
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 1 of 2");
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator(".feedback").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Welcome, Anna" }).waitFor();
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 2 of 2");
    who.practised = true;
    await page.reload();
    await showsClip(page, 1);
  }));

test("a clip that keeps loading can be skipped with reduced motion", () =>
  annotating(new State(3), { practised: false, reducedMotion: "reduce" }, async ({ page }) => {
    const release = await holdClip(page, "p1");
    await page.clock.install();
    await page.getByRole("button", { name: "Start the practice round" }).click();
    await page.getByRole("button", { name: "Play the clip" }).click();
    await page.getByText("Loading the clip…").waitFor();
    await page.clock.runFor(11_000);
    await page.getByRole("button", { name: "Skip this clip" }).click();
    await becomes(() => title(page), "Practice 2 of 2");
    release();
  }));
