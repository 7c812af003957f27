// SPDX-License-Identifier: MIT
//
// A person looks closely at a clip: pause, single frames, any place in it, half speed, the whole window. The clip
// has 10 frames in a second.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Page } from "playwright-core";

import { annotating, chosen, settle, showsClip } from "./annotation_workspace";
import { PHONE, plays } from "./annotation_page";
import { State } from "./annotation_state";
import { becomes } from "./page";

const isPaused = (page: Page) => page.evaluate(() => document.querySelector("video")!.paused);
/** The frame that is shown, from 0 on. */
const frame = (page: Page) =>
  page.evaluate(() => {
    const clip = document.querySelector("video")!;
    return clip.seeking ? -1 : Math.floor(clip.currentTime * 10);
  });
const position = (page: Page) => page.getByRole("slider", { name: "Position in the clip" });

/** Plays until the time between frames has been measured, then shows the first frame. */
async function atFirstFrame(page: Page): Promise<void> {
  await plays(page);
  await becomes(() => position(page).getAttribute("data-frame"), "0.100");
  await page.keyboard.press("Space");
  await position(page).fill("0");
  await becomes(() => frame(page), 0);
}

test("Space and a click on the clip pause it and continue where it was", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    await plays(page);
    await page.keyboard.press("Space");
    await becomes(() => isPaused(page), true);
    const at = await page.evaluate(() => {
      const clip = document.querySelector("video")!;
      clip.addEventListener("seeking", () => (document.title = "seeking"));
      return clip.currentTime;
    });
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await page.locator("video.clip:not(.ahead)").click();
    await becomes(() => isPaused(page), false);
    await page.waitForFunction((time) => document.querySelector("video")!.currentTime !== time, at);
    assert.notEqual(await page.title(), "seeking");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await becomes(() => isPaused(page), true);
    assert.deepEqual(await chosen(page), []);
  }));

test("arrows show single frames and stay within the clip", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    await atFirstFrame(page);
    for (const expected of [1, 2, 3]) {
      await page.keyboard.press("ArrowRight");
      await becomes(() => frame(page), expected);
    }
    await page.getByRole("button", { name: "Frame back" }).click();
    await becomes(() => frame(page), 2);
    for (const expected of [1, 0, 0]) {
      await page.keyboard.press("ArrowLeft");
      await becomes(() => frame(page), expected);
    }
    assert.equal(await isPaused(page), true);
  }));

test("the slider chooses a place, and the keys of verbs still work on it", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    await atFirstFrame(page);
    const box = (await position(page).boundingBox())!;
    await page.mouse.click(box.x + 0.65 * box.width, box.y + box.height / 2);
    await becomes(async () => [5, 6, 7].includes(await frame(page)), true);
    await page.keyboard.press("1");
    await becomes(() => chosen(page), ["peel"]);
    await position(page).focus();
    await page.keyboard.press("Home");
    await becomes(() => frame(page), 0);
  }));

test("half speed stays for the next clip", () =>
  annotating(new State(5), {}, async ({ page }) => {
    const rate = () =>
      page.evaluate(() => document.querySelector<HTMLVideoElement>("video:not(.ahead)")!.playbackRate);
    await showsClip(page, 1);
    assert.equal(await rate(), 1);
    await page.keyboard.press("h");
    await becomes(rate, 0.5);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await becomes(rate, 0.5);
    await page.getByRole("button", { name: "Half speed" }).click();
    await becomes(rate, 1);
  }));

test("an enlarged clip fills the window, keys answer, and Escape returns to the verbs", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    const width = () =>
      page.evaluate(() => document.querySelector("video:not(.ahead)")!.getBoundingClientRect().width);
    await showsClip(page, 1);
    const small = await width();
    await page.keyboard.press("f");
    await becomes(async () => (await width()) > 0.95 * page.viewportSize()!.width, true);
    assert.ok(small < 0.8 * page.viewportSize()!.width);
    await page.keyboard.press("Escape");
    await becomes(width, small);
    await page.keyboard.press("f");
    await settle(page);
    await page.keyboard.press("Enter");
    await becomes(width, small);
    await page.getByText("Choose every verb that applies, “Nothing happens here”").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.size, 1);
  }));

test("on a phone, the buttons of the player can be tapped", () =>
  annotating(new State(5), PHONE, async ({ page }) => {
    await showsClip(page, 1);
    await plays(page);
    for (const name of ["Pause", "Frame", "Frame back", "Replay", "Half speed", "Enlarge"]) {
      const button = page.getByRole("button", { name, exact: true });
      assert.ok((await button.boundingBox())!.height >= 40, name);
      await button.tap();
    }
    const enlarge = page.getByRole("button", { name: "Enlarge" });
    await becomes(() => enlarge.getAttribute("aria-pressed"), "true");
    await becomes(
      () => page.evaluate(() => document.querySelector("video:not(.ahead)")!.clientHeight > 400),
      true,
    );
    await enlarge.tap();
    await becomes(() => enlarge.getAttribute("aria-pressed"), "false");
  }));
