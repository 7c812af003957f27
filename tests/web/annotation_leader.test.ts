// SPDX-License-Identifier: MIT
//
// The leader's page: watch the progress, exclude people, change settings. Signing in is in annotation_leaders.test.ts,
// inviting in annotation_people.test.ts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { choose, disputed, signedIn as signedInAs, type Case } from "./annotation_leading";
import { answerWith, State } from "./annotation_state";
import { launch } from "./browsers";
import { NASTY } from "./names";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const signedIn = (view: string, act: (given: Case) => Promise<void>, state?: State) =>
  signedInAs(browser, view, act, state);

/** The accessible description of a field. */
async function described(page: Page, label: string): Promise<string> {
  const ids = (await page.getByLabel(label).getAttribute("aria-describedby"))!.split(" ");
  const texts = ids.map((id) => page.locator(`[id="${id}"]`).innerText());
  return (await Promise.all(texts)).join(" ").trim();
}

test("values update without a reload, but not while the page is hidden", () =>
  signedIn("progress", async ({ page, server, state }) => {
    await page.getByRole("heading", { name: "0 of 4 clips complete" }).waitFor();
    state.settings.people = 1;
    const who = state.invite("Anna", true);
    who.answers.set(1, answerWith([1]));
    await page.getByRole("heading", { name: "1 of 4 clips complete" }).waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    const asked = () => server.requests.filter((request) => request.endsWith("/overview")).length;
    // A request may have been running when the page was hidden.
    await page.waitForTimeout(1000);
    const before = asked();
    await page.waitForTimeout(4000);
    assert.equal(asked(), before);
  }));

test("agreement is shown in words", () => {
  const state = new State(4);
  state.statistics.overview = {
    agreement: { kappa_per_verb: 0.52, kappa_pooled: 0.61, kappa_per_clip: -0.1, alpha: null },
    answers_per_hour: [
      { hour: "2026-01-31T14:00:00Z", answers: 30 },
      { hour: "2026-01-31T15:00:00Z", answers: 60 },
    ],
  };
  return signedIn(
    "progress",
    async ({ page }) => {
      await page.getByText("Agreement per verb is moderate (κ = 0.52).").waitFor();
      await becomes(
        () => page.locator(".agreement dd").allInnerTexts(),
        ["0.52 moderate", "0.61 substantial", "−0.10 poor", "–"],
      );
      const heights = await page
        .locator(".hours .column")
        .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().height));
      assert.equal(heights[1], 2 * heights[0]!);
    },
    state,
  );
});

test("pausing, excluding and including again show their effect first", () => {
  const state = disputed();
  return signedIn(
    "people",
    async ({ page }) => {
      const act = async (button: string, effect: string, confirm: string) => {
        await choose(page, "Anna", button);
        await page.getByRole("dialog").getByText(effect).waitFor();
        await page.getByRole("dialog").getByRole("button", { name: confirm }).click();
      };
      const anna = state.people[0]!;
      await page.getByRole("button", { name: "Change: Anna" }).click();
      await page.getByRole("dialog", { name: "Anna" }).getByText("No clips for now.").waitFor();
      await page.getByRole("button", { name: "Exclude" }).click();
      await page.getByRole("dialog", { name: "Exclude Anna?" }).waitFor();
      await page.keyboard.press("Escape");
      await becomes(() => page.getByRole("dialog").count(), 0);
      assert.equal(anna.person.state, "active");
      await act("Pause", "Assigned clips go to others.", "Pause");
      await becomes(async () => anna.person.state, "paused");
      await act("Resume", "gets clips again", "Resume");
      await becomes(async () => anna.person.state, "active");
      await act("Exclude", "4 answers no longer count, and the clips go to other people.", "Exclude");
      await becomes(async () => anna.person.state, "excluded");
      await act("Include again", "The answers count again", "Include again");
      await becomes(async () => anna.person.state, "active");
    },
    state,
  );
});

test("the warnings show the value and the limit", () => {
  const state = disputed();
  state.statistics.people.Anna = {
    found: 0.412,
    verbs_per_clip: 1.24,
    seconds_per_clip: 0.84,
    same_keys: 0.95,
    compared: 12,
    agreement: -0.034,
    warnings: ["found", "few_verbs", "fast", "same_keys", "agreement"],
  };
  state.statistics.people.Chidi = { chosen_share: 0.81, agreement: null, warnings: ["many_verbs"] };
  return signedIn(
    "people",
    async ({ page }) => {
      await becomes(
        () => page.locator(".warnings li").allInnerTexts(),
        [
          "⚠ misses original labels: chose 41 %, limit 60 %",
          "⚠ chooses few verbs: 1.2 per clip, limit 1.5",
          "⚠ answers too fast: median 0.8 s, limit 2.0 s",
          "⚠ presses the same keys in 95 % of the answers, limit 70 %",
          "⚠ low agreement with others: κ = −0.03 over 12 answers, limit 0.20",
          "⚠ chooses many verbs: 81 % of the candidates, limit 60 %",
        ],
      );
      await page.getByRole("link", { name: "People ⚠ 2" }).waitFor();
      const kappas = page.locator('.people td[data-title="κ with others"]');
      await becomes(() => kappas.allInnerTexts(), ["−0.03 of 12", "–", "–"]);
    },
    state,
  );
});

test("people have a rank and rates with intervals, if they are in the model", () => {
  const state = disputed();
  state.statistics.people.Anna = {
    quality: {
      rank: 2,
      score: 0.31,
      sensitivity: { value: 0.412, low: 0.296, high: 0.538 },
      specificity: { value: 0.898, low: 0.85, high: 0.931 },
    },
  };
  return signedIn(
    "people",
    async ({ page }) => {
      const column = (title: string) => page.locator(`.people td[data-title="${title}"]`).allInnerTexts();
      await becomes(() => column("Rank"), ["2", "–", "–"]);
      await becomes(() => column("Sensitivity"), ["41 %\n30–54", "–", "–"]);
      await becomes(() => column("Specificity"), ["90 %\n85–93", "–", "–"]);
    },
    state,
  );
});

test("disputes show the clip playing and who chose what", () =>
  signedIn(
    "disputes",
    async ({ page }) => {
      await page.getByRole("heading", { name: "25 clips in dispute" }).waitFor();
      await becomes(() => page.locator(".dispute").count(), 20);
      const first = page.locator(".dispute").first();
      await page.waitForFunction(() => !document.querySelector("video")!.paused);
      const rows = await first.locator("tbody tr").allInnerTexts();
      assert.equal(rows.length, 3);
      assert.match(rows[0]!, /^cut\s+dropped\s+2 of 3\s*Anna, <script>/);
      assert.match(rows[1]!, /^peel\s*original\s+dropped\s+1 of 3\s*Anna$/);
      assert.match(rows[2]!, /^wash\s+dropped\s+1 of 3/);
      await first.getByText("Nothing happens here: Chidi").waitFor();
      await first.getByText("Left out: more than half were not confident").waitFor();
      await page.getByRole("button", { name: "Show more" }).click();
      await becomes(() => page.locator(".dispute").count(), 25);
      assert.equal(await page.evaluate(() => "hacked" in window), false);
    },
    disputed(25),
  ));

test("comments, marks and entered verbs are listed as text", () => {
  const state = disputed();
  const [anna, , chidi] = state.people;
  anna!.answers.set(2, answerWith([1], { flagged: true }));
  anna!.answers.set(3, answerWith([], { other: true, other_verb: "grate" }));
  chidi!.answers.set(3, answerWith([], { other: true, other_verb: "grate", comment: NASTY.script }));
  return signedIn(
    "remarks",
    async ({ page }) => {
      await page.getByRole("link", { name: "Comments 2" }).waitFor();
      await page.getByRole("heading", { name: "2 comments and marks" }).waitFor();
      const rows = page.locator("tbody").first().locator("tr");
      assert.match(await rows.nth(0).innerText(), /^Clip no\. 2\s*marked\s+Anna\s+31 Jan\s+peel\s*$/);
      assert.match(await rows.nth(1).innerText(), /Chidi\s+31 Jan\s+None of these verbs: grate\s+<script>/);
      assert.equal(await page.evaluate(() => "hacked" in window), false);
      const verbs = page.locator(".entered tbody tr");
      assert.match(await verbs.innerText(), /^grate\s+2\s+no\. 3, no\. 3$/);
      anna!.answers.set(4, answerWith([1], { comment: "and one more" }));
      await page.getByText("and one more").waitFor();
    },
    state,
  );
});

test("clips that do not play are listed with the reporters, and can be assigned again", () => {
  const state = disputed();
  for (const { reported } of state.people) reported.add(2);
  state.people[0]!.reported.add(3);
  return signedIn(
    "reports",
    async ({ page }) => {
      await page.getByRole("link", { name: "Reports ⚠ 2" }).waitFor();
      const rows = page.locator(".people tbody tr");
      await becomes(() => rows.count(), 2);
      const [first, second] = await rows.allInnerTexts();
      assert.match(first!, /^Clip no\. 2 P01_2\s*no longer assigned\s*Anna, <script>.*, Chidi\s+3\s/s);
      assert.match(second!, /^Clip no\. 3 P01_3\s*Anna\s+3\s/);
      await page.getByRole("button", { name: "Assign again: clip no. 2" }).click();
      await becomes(() => rows.count(), 1);
      assert.deepEqual([...state.people[2]!.reported], []);
      await page.getByRole("link", { name: "Reports ⚠ 1" }).waitFor();
    },
    state,
  );
});

test("a clip is shown once if the order of the disputes changes", () => {
  const state = disputed(25);
  const { clips } = state.disputes(0, 25);
  state.disputes = (from, count) => ({ total: 25, clips: clips.slice(from, from + count) });
  return signedIn(
    "disputes",
    async ({ page }) => {
      const shown = async () => {
        const titles = await page.locator(".dispute h2").allInnerTexts();
        return titles.map((title) => Number(title.match(/Clip no. (\d+)/)![1]));
      };
      const numbers = (first: number, last: number) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at);
      await becomes(shown, numbers(1, 20));
      // Three clips move to the front, so that three clips are returned twice.
      clips.unshift(...clips.splice(22));
      await page.getByRole("button", { name: "Show more" }).click();
      await becomes(shown, numbers(1, 22));
      await page.getByText("22 of 25: the order has changed; refresh to see the rest").waitFor();
      await becomes(() => page.getByRole("button", { name: "Show more" }).count(), 0);
      await page.getByRole("button", { name: "Refresh" }).click();
      await becomes(shown, [23, 24, 25, ...numbers(1, 17)]);
    },
    state,
  );
});

test("settings are checked before they are sent, and the saved values are shown", () =>
  signedIn("settings", async ({ page, state }) => {
    const save = page.getByRole("button", { name: "Save settings" });
    const meaning =
      "Mean over all answers of a person; “Nothing happens here” and “None of these verbs” count as 0 verbs.";
    assert.equal(await described(page, "Warn below this number of verbs"), meaning);
    await page.getByLabel("People per clip").fill("2.5");
    await page.getByText("Enter a whole number from 1 to 100.").waitFor();
    await save.click();
    assert.equal(state.settings.people, 3);
    await page.getByLabel("People per clip").fill("5");
    await page.getByLabel("Warn below this share").fill("62,5");
    await page.getByLabel("Warn below this number of verbs").fill("2");
    await page.getByLabel("Warn above this share of candidates").fill("55");
    await page.getByLabel("Warn below this κ with others").fill("0.1");
    await page.getByLabel("Personal links expire after").fill("0");
    await page.getByText("Enter a whole number from 1 to 365.").waitFor();
    await page.getByLabel("Personal links expire after").fill("30");
    await page.getByLabel("Assign clips first on which another answer tells the most").check();
    await save.click();
    await page.getByText("✓ Saved").waitFor();
    assert.deepEqual(state.settings, {
      people: 5,
      hold_minutes: 30,
      least_found: 0.625,
      least_verbs: 2,
      most_chosen: 0.55,
      least_seconds: 2,
      most_same_keys: 0.7,
      least_agreement: 0.1,
      order: "informative",
      gold_at_start: 3,
      gold_every: 15,
      gold_answers: 5,
      least_gold: 0.5,
      gold_pauses: false,
      closed: false,
      deadline: null,
      quota: 0,
      link_days: 30,
    });
    assert.equal(await page.getByLabel("Gold clips at the start").count(), 0, "there are none");
  }));

test("with gold clips, their settings and the result of each person are shown", () => {
  const state = disputed();
  state.statistics.overview.gold = 20;
  const gold = { answers: 8, hits: 4, wrong: 6, missed: 6, f1: 0.4 };
  state.statistics.people.Anna = { gold, warnings: ["gold"], state: "paused", paused_for: "gold" };
  return signedIn(
    "settings",
    async ({ page }) => {
      await page.getByLabel("Gold clips at the start").fill("4");
      await page.getByLabel("Later, one gold clip in").fill("0");
      await page.getByLabel("Pass mark: warn below this F1").fill("1.5");
      await page.getByText("Enter a number from 0 to 1.").waitFor();
      await page.getByLabel("Pass mark: warn below this F1").fill("0.65");
      await page.getByLabel("Pause people below the pass mark").check();
      await page.getByRole("button", { name: "Save settings" }).click();
      await page.getByText("✓ Saved").waitFor();
      const {
        gold_at_start: start,
        gold_every: every,
        least_gold: mark,
        gold_pauses: pauses,
      } = state.settings;
      assert.deepEqual([start, every, mark, pauses], [4, 0, 0.65, true]);
      await page.getByRole("link", { name: "People" }).click();
      const column = page.locator('.people td[data-title="F1 on gold"]');
      await becomes(() => column.allInnerTexts(), ["0.40\nof 8", "–", "–"]);
      await page.getByText("⚠ fails gold clips: F1 = 0.40 over 8 answers, pass mark 0.65").waitFor();
      await page.getByText("paused: gold clips").waitFor();
    },
    state,
  );
});

test("a leader can end the practice of a person", () => {
  const state = disputed();
  const ned = state.invite("Ned");
  state.invite("Never opened the link");
  ned.person.last_seen = "2026-01-31T14:00:00Z";
  return signedIn(
    "people",
    async ({ page }) => {
      await becomes(() => page.locator(".badge").allInnerTexts(), ["practising"]);
      await choose(page, "Ned", "End practice");
      await page.getByRole("dialog").getByRole("button", { name: "End practice" }).click();
      await becomes(async () => ned.practised, true);
      await becomes(() => page.locator(".badge").count(), 0);
    },
    state,
  );
});

test("a lost connection is shown, and an ended session leads to signing in", () =>
  signedIn("people", async ({ page, server }) => {
    server.offline = true;
    await page.getByText("The server is not reachable. The values are from").waitFor();
    server.offline = false;
    await becomes(() => page.locator(".lost").count(), 0);
    await page.context().clearCookies();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }));
