// SPDX-License-Identifier: MIT
//
// Answers in the annotator's own words: none of these verbs, a comment, a mark for the leader.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";

import { annotating, chosen, showsClip, title } from "./annotation_workspace";
import { PHONE } from "./annotation_page";
import { answerWith, State, type Annotator } from "./annotation_state";
import { becomes } from "./page";

const VERB = "Which verb describes it? (optional)";
const COMMENT = "Comment for the leader";

const stored = (who: Annotator, task: number) => ({ ...who.answers.get(task)!, milliseconds: 1 });
const pressed = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");

test("with the keyboard: none of these verbs, a verb of one's own, a mark and a comment", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    await showsClip(page, 1);
    for (const key of ["1", "o"]) await page.keyboard.press(key);
    await becomes(() => chosen(page), ["None of these verbs"]);
    // The field is focused: letters are text, not keys.
    await page.keyboard.type("  Grate  Nuts n");
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Clip no. 1");
    assert.equal(await page.getByLabel(VERB).inputValue(), "  Grate  Nuts n");
    await page.keyboard.press("m");
    await page.keyboard.press("c");
    await page.keyboard.type("<b>Hands</b> hide it, 5 of 6 frames");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await becomes(async () => who.answers.size, 1);
    assert.deepEqual(
      stored(who, 1),
      answerWith([], {
        other: true,
        other_verb: "grate nuts n",
        flagged: true,
        comment: "<b>Hands</b> hide it, 5 of 6 frames",
      }),
    );
    assert.equal(await page.getByLabel(COMMENT).count(), 0, "the next clip has no comment");
    assert.equal(await pressed(page, "Mark"), "false");

    await page.keyboard.press("Backspace");
    await becomes(() => title(page), "Earlier answer: clip no. 1");
    assert.equal(await page.getByLabel(VERB).inputValue(), "grate nuts n");
    assert.equal(await page.getByLabel(COMMENT).inputValue(), "<b>Hands</b> hide it, 5 of 6 frames");
    assert.equal(await pressed(page, "Mark"), "true");
    await page.keyboard.press("3");
    await page.keyboard.press("Enter");
    await becomes(async () => stored(who, 1).chosen, [3]);
    assert.equal(stored(who, 1).other_verb, "", "a chosen verb replaces the entered one");
    assert.equal(stored(who, 1).flagged, true);
  }));

test("“none of these”, “nothing” and verbs exclude each other, and the entered verb is optional", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    await showsClip(page, 1);
    await page.keyboard.press("n");
    await page.getByRole("button", { name: "None of these verbs" }).click();
    await becomes(() => chosen(page), ["None of these verbs"]);
    await page.getByLabel(VERB).press("Escape");
    await page.keyboard.press("n");
    await becomes(() => chosen(page), ["Nothing happens here"]);
    assert.equal(await page.getByLabel(VERB).count(), 0);
    await page.keyboard.press("o");
    await page.getByLabel(VERB).press("Enter");
    await page.keyboard.press("2");
    await becomes(() => chosen(page), ["wash"]);
    await page.keyboard.press("o");
    await page.getByLabel(VERB).press("Enter");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await becomes(async () => who.answers.size, 1);
    assert.deepEqual(stored(who, 1), answerWith([], { other: true }));
  }));

test("long texts are cut at the limits of the server", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    await showsClip(page, 1);
    await page.keyboard.press("o");
    // Not typed, so that maxlength does not apply.
    await page.getByLabel(VERB).evaluate((input: HTMLInputElement) => {
      input.value = "🥕".repeat(60);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.getByLabel(VERB).press("Enter");
    await page.keyboard.press("c");
    await page.getByLabel(COMMENT).fill("a".repeat(600));
    await page.getByLabel(COMMENT).press("Enter");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.size, 1);
    assert.equal(stored(who, 1).other_verb, "🥕".repeat(40));
    assert.equal(stored(who, 1).comment.length, 500);
  }));

test("practice answers cannot be marked or commented", () =>
  annotating(new State(5), { practised: false }, async ({ page }) => {
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 1 of 2");
    assert.equal(await page.getByRole("button", { name: "Mark" }).count(), 0);
    await page.keyboard.press("c");
    assert.equal(await page.getByLabel(COMMENT).count(), 0);
    assert.equal(await page.getByRole("button", { name: "None of these verbs" }).count(), 1);
  }));

test("touch alone is enough on a phone, and buttons and fields fit", () =>
  annotating(new State(3), PHONE, async ({ page, who }) => {
    await showsClip(page, 1);
    await page.getByRole("button", { name: "None of these verbs" }).tap();
    const focused = () => page.evaluate(() => document.activeElement!.tagName);
    assert.notEqual(await focused(), "INPUT", "the keyboard of the phone stays closed");
    await page.getByLabel(VERB).fill("zest");
    await page.getByRole("button", { name: "Mark" }).tap();
    await page.getByRole("button", { name: "Comment" }).tap();
    await page.getByLabel(COMMENT).fill("blurred");
    const beyond = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement; // without the scrollbar of Firefox
      return scrollWidth - clientWidth;
    });
    assert.equal(beyond, 0);
    const small = await page.evaluate(
      () =>
        [...document.querySelectorAll(".doubts button, .own-words input")].filter(
          (element) => element.getBoundingClientRect().height < 44,
        ).length,
    );
    assert.equal(small, 0, "too small for a finger");
    await page.getByRole("button", { name: "Send" }).tap();
    await showsClip(page, 2);
    await becomes(async () => who.answers.size, 1);
    const expected = { other: true, other_verb: "zest", flagged: true, comment: "blurred" };
    assert.deepEqual(stored(who, 1), answerWith([], expected));
  }));
