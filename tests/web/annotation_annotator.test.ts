// SPDX-License-Identifier: MIT
//
// A person annotates with keyboard, touch or mouse, from the instructions to the last clip.
import assert from "node:assert/strict";
import { test } from "node:test";

import { annotating, chosen, settle, showsClip, title } from "./annotation_workspace";
import { PHONE, plays } from "./annotation_page";
import { answerWith, State } from "./annotation_state";
import { becomes } from "./page";

test("the keyboard alone is enough from the instructions to the last clip", () =>
  annotating(new State(3), { practised: false }, async ({ page, who }) => {
    await page.getByRole("heading", { name: "Welcome, Anna" }).waitFor();
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 1 of 2");
    await plays(page);
    // The original label is "peel", the first verb of the practice clip.
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("Another person labelled this clip peel, too.").waitFor();
    await settle(page);
    await page.keyboard.press("Enter");
    await becomes(() => title(page), "Practice 2 of 2");
    await plays(page);
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    await page.getByText("Another person labelled this clip wash.").waitFor();
    assert.equal(who.practised, false);
    await settle(page);
    await page.keyboard.press("Enter");
    await showsClip(page, 1);
    assert.equal(who.practised, true);

    for (const key of ["1", "0", "-", "u", "Enter"]) await page.keyboard.press(key);
    await showsClip(page, 2);
    for (const key of ["n", "Enter"]) await page.keyboard.press(key);
    await showsClip(page, 3);
    for (const key of ["5", "6", "5", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "Thank you, Anna!" }).waitFor();
    const given = [...who.answers.values()].map((answer) => ({ ...answer, milliseconds: 1 }));
    assert.deepEqual(given, [
      answerWith([1, 10, 0], { confident: false }),
      answerWith([], { nothing: true }),
      answerWith([8]),
    ]);
  }));

test("the clip plays in a loop without sound, and the next one is preloaded", () =>
  annotating(new State(5), {}, async ({ page, server }) => {
    await showsClip(page, 1);
    await page.waitForFunction(() => {
      const clip = document.querySelector<HTMLVideoElement>("video:not(.ahead)")!;
      return !clip.paused && clip.loop && clip.muted && clip.currentTime > 0;
    });
    await page.waitForFunction(
      () => document.querySelector<HTMLVideoElement>("video.ahead")!.readyState >= 2,
    );
    assert.ok(server.requests.includes("GET /clips/2.mp4"));
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await page.waitForFunction(() => {
      const clip = document.querySelector<HTMLVideoElement>("video:not(.ahead)")!;
      return clip.src.endsWith("/clips/2.mp4") && !clip.paused;
    });
  }));

test("R plays the clip from its beginning", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0.2);
    await page.evaluate(() => {
      document.querySelector("video")!.addEventListener("seeking", () => (document.title = "seeking"));
    });
    await page.keyboard.press("r");
    await becomes(() => page.title(), "seeking");
    assert.deepEqual(await chosen(page), []);
  }));

test("with reduced motion the user starts the clip, and it plays once", () =>
  annotating(new State(5), { reducedMotion: "reduce" }, async ({ page }) => {
    await page.getByRole("button", { name: "Play the clip" }).waitFor();
    assert.equal(await page.evaluate(() => document.querySelector("video")!.paused), true);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
    await page.waitForFunction(() => document.querySelector("video")!.ended);
    await page.getByRole("button", { name: "Play the clip" }).waitFor();
  }));

test("Backspace goes back step by step, Enter saves and returns to the current clip", () =>
  annotating(new State(9), {}, async ({ page, who }) => {
    for (const number of [1, 2, 3]) {
      await showsClip(page, number);
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
    }
    await showsClip(page, 4);
    await page.keyboard.press("2");
    for (const number of [3, 2, 1]) {
      await page.keyboard.press("Backspace");
      await becomes(() => title(page), `Earlier answer: clip no. ${number}`);
    }
    await becomes(() => chosen(page), ["peel"]);
    await page.keyboard.press("Backspace");
    await page.getByText("This was your first answer.").waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("3");
    await page.keyboard.press("u");
    await page.keyboard.press("Enter");
    await showsClip(page, 4);
    await becomes(() => chosen(page), ["take"]);
    await becomes(async () => who.answers.get(1)!.chosen, [3]);
    assert.equal(who.answers.get(1)!.confident, false);
    await becomes(() => page.locator(".progress").innerText(), "3 of 9");

    await page.keyboard.press("Backspace");
    await becomes(() => title(page), "Earlier answer: clip no. 3");
    await page.keyboard.press("5");
    await page.keyboard.press("Escape");
    await showsClip(page, 4);
    assert.deepEqual(who.answers.get(3)!.chosen, [3]);
  }));

test("the last answers can be corrected when all clips are done", () =>
  annotating(new State(2), {}, async ({ page, who }) => {
    for (const number of [1, 2]) {
      await showsClip(page, number);
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
    }
    await page.getByRole("heading", { name: "Thank you, Anna!" }).waitFor();
    await page.keyboard.press("Backspace");
    await becomes(() => title(page), "Earlier answer: clip no. 2");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Thank you, Anna!" }).waitFor();
    await becomes(async () => who.answers.get(2)!.chosen, [2, 3]);
    await becomes(() => page.locator(".state").innerText(), "✓ Saved");
  }));

test("in a low window all buttons are visible without scrolling", () =>
  annotating(new State(2), { viewport: { width: 1366, height: 650 } }, async ({ page }) => {
    await showsClip(page, 1);
    const below = await page.evaluate(() =>
      [...document.querySelectorAll("button, video:not(.ahead)")]
        .filter((element) => {
          const { bottom, left } = element.getBoundingClientRect();
          const shown = document.elementFromPoint(left + 8, bottom - 2);
          return bottom > innerHeight || !element.contains(shown);
        })
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(below, []);
  }));

test("an empty answer is not sent, and “nothing” and verbs exclude each other", () =>
  annotating(new State(5), {}, async ({ page, server }) => {
    await showsClip(page, 1);
    await settle(page);
    await page.keyboard.press("Enter");
    await page
      .getByText("Choose every verb that applies, “Nothing happens here” or “None of these verbs”.")
      .waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("n");
    await becomes(() => chosen(page), ["Nothing happens here"]);
    await page.keyboard.press("n");
    await becomes(() => chosen(page), ["peel"]);
    await page.keyboard.press("n");
    await page.keyboard.press("2");
    await becomes(() => chosen(page), ["wash"]);
    assert.equal(server.arrived.length, 0);
  }));

test("touch alone is enough on a phone", () =>
  annotating(new State(3), { ...PHONE, practised: false }, async ({ page, who }) => {
    await page.getByRole("button", { name: "Start the practice round" }).tap();
    for (const next of ["Next practice clip", "Start annotating"]) {
      await plays(page);
      await page.locator(".verb").first().tap();
      await page.getByRole("button", { name: "Check the answer" }).tap();
      await page.locator(".feedback").waitFor();
      await settle(page);
      await page.getByRole("button", { name: next }).tap();
    }
    await showsClip(page, 1);
    const small = await page.evaluate(
      () =>
        [...document.querySelectorAll(".verb, .actions button")].filter(
          (button) => button.getBoundingClientRect().height < 44,
        ).length,
    );
    assert.equal(small, 0, "buttons too small for a finger");
    for (const number of [1, 2, 3]) {
      await showsClip(page, number);
      await page.locator(".verb").nth(number).tap();
      await page.getByRole("button", { name: "Not confident" }).tap();
      await page.getByRole("button", { name: "Send" }).tap();
    }
    await page.getByRole("heading", { name: "Thank you, Anna!" }).waitFor();
    await becomes(
      async () => [...who.answers.values()].map(({ chosen: classes, confident }) => [classes, confident]),
      [
        [[2], false],
        [[4], false],
        [[6], false],
      ],
    );
  }));

test("shortcuts work after mouse clicks, and a double click on send sends once", () =>
  annotating(new State(5), {}, async ({ page, server, who }) => {
    await showsClip(page, 1);
    await page.getByRole("button", { name: "open" }).click();
    await page.keyboard.press("Space");
    await becomes(() => chosen(page), ["open"]);
    await page.getByRole("button", { name: "Send" }).dblclick();
    await showsClip(page, 2);
    await settle(page);
    await becomes(() => page.locator(".hint").innerText(), "");
    await page.locator(".verb").first().click();
    await page.keyboard.press("Enter");
    await showsClip(page, 3);
    await becomes(async () => who.answers.size, 2);
    assert.deepEqual(
      server.arrived.map(({ task }) => task),
      [1, 2],
    );
  }));

test("Tab reaches every verb, and Enter and Space activate the focused button", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    await page.locator(".verb").first().focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await becomes(() => chosen(page), ["wash"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await becomes(() => chosen(page), ["wash", "open"]);
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
    assert.notEqual(outline, "none");
    await page.getByRole("button", { name: "Send" }).focus();
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    // The next Tab starts above the verbs again.
    await becomes(() => page.evaluate(() => document.activeElement!.className), "answer-form");
  }));

test("key combinations with Ctrl, Alt and Meta and keys in the help are left to the browser", () =>
  annotating(new State(5), {}, async ({ page, server }) => {
    await showsClip(page, 1);
    await page.evaluate(() => {
      document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented) document.title = `took ${event.key}`;
      });
    });
    const before = await page.title();
    for (const key of ["Control+1", "Alt+2", "Meta+n", "Control+Enter"]) await page.keyboard.press(key);
    assert.equal(await page.title(), before);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Instructions" }).waitFor();
    const keys = ["1", "n", "u", "Backspace"];
    for (const key of keys) await page.keyboard.press(key);
    // In some browsers a click on plain text removes the focus.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (const key of [...keys, "Enter", " "]) await page.keyboard.press(key);
    await page.keyboard.press("Escape");
    await becomes(() => page.getByRole("dialog").count(), 0);
    assert.deepEqual(await chosen(page), []);
    assert.equal(server.arrived.length, 0);
  }));

test("on a keyboard with digits on Shift, the position of the key counts", () =>
  annotating(new State(5), {}, async ({ page }) => {
    await showsClip(page, 1);
    const press = (key: string, code: string) =>
      page.evaluate((init) => void document.body.dispatchEvent(new KeyboardEvent("keydown", init)), {
        key,
        code,
        bubbles: true,
        cancelable: true,
      });
    await press("т", "KeyN");
    await becomes(() => chosen(page), ["Nothing happens here"]);
    await press("&", "Digit1");
    await becomes(() => chosen(page), ["peel"]);
    // As on a French keyboard, where the key 6 types a dash and the key next to 0 a bracket.
    await press("-", "Digit6");
    await becomes(() => chosen(page), ["peel", "put"]);
    await press("à", "Digit0");
    await becomes(() => chosen(page), ["peel", "put", "turn off"]);
    for (const [key, code] of [
      [")", "Minus"],
      ["-", "Slash"],
      ["-", "NumpadSubtract"],
    ] as const) {
      await press(key, code);
      await becomes(() => chosen(page), ["peel", "put", "turn off", "cut"]);
      await press(key, code);
      await becomes(() => chosen(page), ["peel", "put", "turn off"]);
    }
  }));

test("changes are announced to screen readers", () =>
  annotating(new State(5), {}, async ({ page }) => {
    const spoken = () => page.locator(".answer-form > [role=status]").innerText();
    await becomes(spoken, "Clip no. 1, 11 verbs");
    await plays(page);
    await page.keyboard.press("1");
    await becomes(spoken, "peel: chosen");
    await page.keyboard.press("1");
    await becomes(spoken, "peel: not chosen");
    await page.keyboard.press("u");
    await becomes(spoken, "Not confident");
    // Present before it has text: otherwise not every screen reader announces it.
    const alert = page.getByRole("alert");
    assert.equal(await alert.count(), 1);
    assert.equal(await alert.innerText(), "");
    await settle(page);
    await page.keyboard.press("Enter");
    await becomes(
      () => alert.innerText(),
      "Choose every verb that applies, “Nothing happens here” or “None of these verbs”.",
    );
    const saved = page.locator("header").getByRole("status");
    assert.equal(await saved.innerText(), "");
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(() => saved.innerText(), "✓ Saved");
  }));

test("the time in which the page was hidden does not count", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    await showsClip(page, 1);
    await page.waitForFunction(() => document.querySelector("video")!.readyState >= 2);
    const show = (hidden: boolean) =>
      page.evaluate((now) => {
        Object.defineProperty(document, "hidden", { value: now, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    await show(true);
    const from = Date.now();
    await page.waitForTimeout(2000);
    const hidden = Date.now() - from;
    await show(false);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.size, 1);
    const { milliseconds } = who.answers.get(1)!;
    const inAll = await page.evaluate(() => performance.now());
    assert.ok(milliseconds <= inAll - hidden, `${milliseconds} of ${inAll} ms, ${hidden} of them hidden`);
  }));

test("the time counts for the current clip, also if it was preloaded or is corrected", () =>
  annotating(new State(5), {}, async ({ page, who }) => {
    await showsClip(page, 1);
    await page.waitForFunction(() => document.querySelector<HTMLVideoElement>(".ahead")?.readyState! >= 2);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    await page.waitForTimeout(1000);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.has(2), true);
    const { milliseconds } = who.answers.get(2)!;
    assert.ok(milliseconds >= 900, `${milliseconds} ms`);

    await showsClip(page, 3);
    await page.keyboard.press("Backspace");
    await becomes(() => title(page), "Earlier answer: clip no. 2");
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
    await page.waitForTimeout(1000);
    await page.keyboard.press("u");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.get(2)!.confident, false);
    const again = who.answers.get(2)!.milliseconds - milliseconds;
    assert.ok(again >= 900, `${again} ms more`);
  }));

test("waiting, paused, excluded and unknown people see a message", () =>
  annotating(new State(3), {}, async ({ page, server, who }) => {
    await showsClip(page, 1);
    who.person.state = "paused";
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Paused" }).waitFor();
    await page.getByText("The leader has paused your work.").waitFor();
    who.person.paused_for = "gold";
    await page.getByRole("button", { name: "Check now" }).click();
    await page
      .getByText("Some of your clips have known answers, and yours often differ from them.")
      .waitFor();
    Object.assign(who.person, { state: "active", paused_for: "" });
    await page.keyboard.press("Enter");
    await showsClip(page, 2);
    server.state.heldByOthers = 1;
    await page.reload();
    await showsClip(page, 2);
    who.held = [2];
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Other people are answering the last clips" }).waitFor();
    server.state.heldByOthers = 0;
    await page.keyboard.press("Enter");
    await showsClip(page, 3);
    who.person.state = "excluded";
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("You no longer take part in this project. Thank you for your help.").waitFor();
    who.sessions.clear();
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await page.getByText("Open your personal link.").waitFor();
  }));
