// SPDX-License-Identifier: MIT
//
// The annotator's page in the language of the project.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";

import { english, type Key } from "../../web/src/annotation/strings/english";
import { german } from "../../web/src/annotation/strings/german";
import { annotating, settle, title } from "./annotation_workspace";
import { PHONE, plays } from "./annotation_page";
import { State } from "./annotation_state";
import { becomes } from "./page";

function germanState(clips: number): State {
  const state = new State(clips, "Werkstatt", ["sägen", "bohren", "schleifen"]);
  state.language = "de";
  state.guide = {
    instructions: "Alles auswählen.",
    definitions: [{ class: 1, definition: "Ein Loch machen." }],
    strings: {},
  };
  return state;
}

/** Everything that the page says, to the eye and to screen readers. */
function said(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [document.title];
    const walker = document.createTreeWalker(document.getElementById("page")!, NodeFilter.SHOW_ALL);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node instanceof Text) found.push(node.data);
      if (!(node instanceof Element)) continue;
      for (const name of ["aria-label", "title"]) found.push(node.getAttribute(name) ?? "");
    }
    return found.map((text) => text.trim()).filter(Boolean);
  });
}

/** The fixed parts of English texts that are not German ones, too. */
const ENGLISH = Object.values(english)
  .flatMap((text) => text.split(/\{\w+\}/))
  .map((part) => part.trim())
  .filter((part) => /[a-z]{3}/i.test(part) && !Object.values(german).some((text) => text.includes(part)));

async function saysNothingInEnglish(page: Page): Promise<void> {
  const texts = await said(page);
  assert.ok(texts.length > 3);
  const found = texts.filter((text) => ENGLISH.includes(text.replace(/^\W+/, "")));
  assert.deepEqual(found, []);
}

test("every German text has the values of the English one", () => {
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const key of Object.keys(english) as Key[]) {
    assert.deepEqual(values(german[key]), values(english[key]), key);
    assert.ok(german[key].trim(), key);
  }
});

test("the page is in the language of the project from the first to the last screen", () =>
  annotating(germanState(2), { practised: false }, async ({ page, server, who }) => {
    await page.getByRole("heading", { name: "Willkommen, Anna" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
    assert.equal(await page.title(), "Werkstatt: annotieren");
    await saysNothingInEnglish(page);
    await page.getByRole("button", { name: "Übungsrunde starten" }).click();
    for (const next of ["Nächste Übung", "Mit dem Annotieren beginnen"]) {
      await plays(page);
      await page.keyboard.press("1");
      await saysNothingInEnglish(page);
      await page.keyboard.press("Enter");
      await page.locator(".feedback").waitFor();
      await saysNothingInEnglish(page);
      await page.getByRole("button", { name: next }).waitFor();
      await settle(page);
      await page.keyboard.press("Enter");
    }
    await becomes(() => title(page), "Clip Nr. 1");
    await plays(page);
    const spoken = page.locator(".answer-form > [role=status]");
    await becomes(() => spoken.innerText(), "Clip Nr. 1, 3 Verben");
    await page.keyboard.press("u");
    await becomes(() => spoken.innerText(), "Unsicher");
    await settle(page);
    await page.keyboard.press("Enter");
    await page.getByText("Bitte alle passenden Verben auswählen").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Anleitung" }).waitFor();
    await saysNothingInEnglish(page);
    await page.keyboard.press("Escape");

    server.offline = true;
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("Eine Antwort ist noch nicht gespeichert. Dieser Browser bewahrt sie auf").waitFor();
    await saysNothingInEnglish(page);
    server.offline = false;
    await page.getByRole("button", { name: "Jetzt versuchen" }).click();
    await becomes(() => title(page), "Clip Nr. 2");
    await plays(page);
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Danke, Anna!" }).waitFor();
    await page.getByText("2 Clips sind beantwortet").waitFor();
    await saysNothingInEnglish(page);
    await page.keyboard.press("Backspace");
    await becomes(() => title(page), "Frühere Antwort: Clip Nr. 2");
    await saysNothingInEnglish(page);

    who.person.state = "excluded";
    await page.keyboard.press("Backspace");
    await page.getByText("Die Teilnahme an diesem Projekt ist beendet.").waitFor();
    await saysNothingInEnglish(page);
  }));

test("numbers and their nouns follow the language", () =>
  annotating(germanState(12345), {}, async ({ page }) => {
    await becomes(() => page.locator(".progress").innerText(), "0 von 12.345");
  }));

test("one is not a plural", () =>
  annotating(germanState(1), {}, async ({ page }) => {
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("Ein Clip ist beantwortet").waitFor();
  }));

test("a language that the page does not know is English", () => {
  const state = new State(1);
  state.language = "fr";
  return annotating(state, {}, async ({ page }) => {
    await becomes(() => title(page), "Clip no. 1");
  });
});

test("the project replaces texts of the page, and the others stay", () => {
  const state = new State(2);
  state.guide.strings = {
    "verbs.title": "Choose every <b>activity</b>",
    "done.title": "Merci, {name}",
    "done.text.other": "{count} films",
  };
  return annotating(state, {}, async ({ page }) => {
    await page.getByRole("heading", { name: "Choose every <b>activity</b>" }).waitFor();
    for (const clip of [1, 2]) {
      await becomes(() => title(page), `Clip no. ${clip}`);
      await plays(page);
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
    }
    await page.getByRole("heading", { name: "Merci, Anna" }).waitFor();
    await page.getByText("2 films").waitFor();
    await page.getByRole("button", { name: "Check for more clips" }).waitFor();
  });
});

for (const [width, options] of [
  [1280, { viewport: { width: 1280, height: 720 } }],
  [360, PHONE],
] as const)
  test(`German words fit at ${width} pixels`, () =>
    annotating(germanState(3), { ...options, practised: false }, async ({ page }) => {
      const fits = async () => {
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll("button, h1, h2, p")]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => element.textContent),
        );
        assert.deepEqual(wide, []);
        const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(width <= 0, `${width} pixels too wide`);
      };
      await fits();
      await page.getByRole("button", { name: "Übungsrunde starten" }).click();
      await plays(page);
      await fits();
      await page.locator(".verb").first().click();
      await page.getByRole("button", { name: "Antwort prüfen" }).click();
      await page.locator(".feedback").waitFor();
      await fits();
    }));

test("on a phone, nothing in the header overlaps while answers are not saved", () =>
  annotating(germanState(1234), PHONE, async ({ page, server }) => {
    await plays(page);
    server.offline = true;
    await page.locator(".verb").first().tap();
    await page.getByRole("button", { name: "Senden" }).tap();
    await page.locator(".state").getByText("Nicht gespeichert").waitFor();
    const boxes = await page.locator("header > *:visible").evaluateAll((parts) =>
      parts.map((part) => {
        const text = document.createRange();
        text.selectNodeContents(part);
        const [box, inside] = [part.getBoundingClientRect(), text.getBoundingClientRect()];
        return { left: box.left, right: Math.max(box.right, inside.right) };
      }),
    );
    assert.equal(boxes.length, 4);
    for (const [at, { left }] of boxes.entries())
      assert.ok(at === 0 || left >= boxes[at - 1]!.right, `part ${at}: ${JSON.stringify(boxes)}`);
  }));
