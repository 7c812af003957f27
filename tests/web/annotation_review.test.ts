// SPDX-License-Identifier: MIT
//
// The leader looks at clips and at the answers of a person, decides disputes, and ends the round.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { disputed, signedIn } from "./annotation_leading";
import { join, plays } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { State } from "./annotation_state";
import { launch } from "./browsers";
import { NASTY } from "./names";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const heading = (page: Page) => page.locator("h1").innerText();
const pressed = (page: Page) => page.locator(".verdict [aria-pressed=true] bdi").allInnerTexts();

test("disputes are decided one after the other with the keyboard alone", () =>
  signedIn(
    browser,
    "disputes",
    async ({ page, state }) => {
      await page.getByRole("link", { name: "Decide: clip no. 1" }).click();
      await becomes(async () => (await heading(page)).startsWith("Clip no. 1 "), true);
      await becomes(() => pressed(page), []);
      const rows = await page.locator(".verdict li").allInnerTexts();
      assert.match(rows[0]!, /^1\s+cut\s+2 of 3\s*Anna, <script>/);
      await page.getByText("Not confident: <script>").waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("Choose a verb, or leave the clip out.").waitFor();
      await page.keyboard.press("1");
      await page.keyboard.press("3");
      await becomes(() => pressed(page), ["cut", "wash"]);
      await page.keyboard.press("r");
      await page.keyboard.type("l 1 n: keys are text here");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await page.getByText("✓ Saved").waitFor();
      const settled = state.decisions.get(1)!;
      assert.deepEqual(
        settled.labels.map(({ name }) => name),
        ["cut", "wash"],
      );
      assert.equal(settled.reason, "l 1 n: keys are text here");
      await page.keyboard.press("Enter");
      await becomes(async () => (await heading(page)).startsWith("Clip no. 2 "), true);
      await page.keyboard.press("l");
      await page.getByText("Give a reason why the clip is left out.").waitFor();
      await page.keyboard.type("too dark");
      await page.keyboard.press("Escape");
      await page.keyboard.press("l");
      await page.getByText("✓ Left out").waitFor();
      assert.deepEqual(state.decisions.get(2)!.labels, []);
      await page.keyboard.press("n");
      await becomes(async () => (await heading(page)).startsWith("Clip no. 3 "), true);
      await page.keyboard.press("p");
      await becomes(async () => (await heading(page)).startsWith("Clip no. 2 "), true);
      await page.getByText("Left out by you – too dark").waitFor();
      await page.keyboard.press("z");
      await page.getByText("✓ Undone").waitFor();
      assert.ok(!state.decisions.has(2));
      await page.getByRole("link", { name: "Disputes 3" }).waitFor();
      assert.equal(await page.evaluate(() => "hacked" in window), false);
    },
    disputed(),
  ));

test("after the last dispute the list is shown", () =>
  signedIn(
    browser,
    "clip=1",
    async ({ page }) => {
      await page.getByRole("button", { name: "cut" }).click();
      await page.getByRole("button", { name: "Save labels" }).click();
      await page.getByText("✓ Saved").waitFor();
      await page.getByRole("button", { name: "Next dispute" }).click();
      await page.getByText("There is no disagreement").waitFor();
    },
    disputed(1),
  ));

test("a verb that is not a candidate can be a label", () => {
  const state = disputed();
  state.reviewed = ((reviewed) => (task: number) => {
    const clip = reviewed.call(state, task);
    return { ...clip, candidates: clip.candidates.slice(0, 4) };
  })(state.reviewed);
  return signedIn(
    browser,
    "clip=1",
    async ({ page }) => {
      await page.getByLabel("Another verb").fill("turn on");
      await becomes(() => pressed(page), ["turn on"]);
      await page.getByRole("button", { name: "Save labels" }).click();
      await page.getByText("✓ Settled: turn on").waitFor();
      assert.equal(state.decisions.get(1)!.labels[0]!.class, 9);
    },
    state,
  );
});

test("a failed decision is reported and can be repeated", () =>
  signedIn(
    browser,
    "clip=1",
    async ({ page, server, state }) => {
      await page.getByRole("button", { name: "cut" }).click();
      server.offline = true;
      await page.getByRole("button", { name: "Save labels" }).click();
      await page.locator(".decide").getByText("The server is not reachable.").waitFor();
      assert.equal(state.decisions.size, 0);
      server.offline = false;
      await page.getByRole("button", { name: "Save labels" }).click();
      await page.getByText("✓ Saved").waitFor();
    },
    disputed(),
  ));

test("any clip is found by number or name; decided clips are listed", () => {
  const state = disputed(30);
  state.decide(7, [0], "clear");
  return signedIn(
    browser,
    "clips",
    async ({ page }) => {
      await page.getByText("The first 20 of 30 clips.").waitFor();
      await page.getByRole("heading", { name: "One clip decided by you" }).waitFor();
      await page.getByLabel("Number or name").fill("p01_29");
      await becomes(() => page.locator(".found a").allInnerTexts(), ["Clip no. 29"]);
      await page.getByRole("link", { name: "Clip no. 29" }).click();
      await becomes(async () => (await heading(page)).startsWith("Clip no. 29 "), true);
      await page.goBack();
      await page.getByLabel("Number or name").fill("nothing like this");
      await page.getByText("No clip has this number or name.").waitFor();
    },
    state,
  );
});

test("a clip that does not exist is reported", () =>
  signedIn(browser, "clip=1", async ({ page, state }) => {
    state.reviewed = () => {
      throw new Error("not there");
    };
    await page.evaluate(() => (location.hash = "#clip=99"));
    await page.locator("main [role=alert]").getByText("The server is not reachable").waitFor();
  }));

test("the answers of a person are shown with the clips and what others said", () =>
  signedIn(
    browser,
    "people",
    async ({ page, state }) => {
      state.people[2]!.person.state = "paused";
      await page.getByRole("link", { name: "Answers of Chidi" }).click();
      await becomes(async () => (await heading(page)).replace(/\s+/g, " "), "Chidi: 25 answers paused");
      await becomes(() => page.locator(".dispute").count(), 20);
      const first = page.locator(".dispute").first();
      await first.getByText("Clip no. 25").waitFor();
      await becomes(
        async () =>
          (await first.locator(".said").innerText()).startsWith("Chidi: nothing happens here, not confident"),
        true,
      );
      assert.match((await first.locator("tbody tr").allInnerTexts())[0]!, /^cut\s+dropped\s+2 of 3\s*Anna/);
      await page.getByRole("button", { name: "Show more" }).click();
      await becomes(() => page.locator(".dispute").count(), 25);
      await page.getByRole("link", { name: "All people" }).click();
      await page.getByRole("heading", { name: "Participants" }).waitFor();
    },
    disputed(25),
  ));

test("a broken clip is left out from the list of reports", () => {
  const state = disputed();
  state.people[0]!.reported.add(2);
  return signedIn(
    browser,
    "reports",
    async ({ page }) => {
      await page.getByRole("link", { name: "Clip no. 2" }).click();
      await page.getByText("Does not play for: Anna").waitFor();
      await page.getByLabel("Reason").fill("the file is damaged");
      await page.getByRole("button", { name: "Leave out" }).click();
      await page.getByText("✓ Left out").waitFor();
      await page.getByRole("link", { name: "Progress" }).click();
      await page.locator(".tile").getByText("1 by you").waitFor();
    },
    state,
  );
});

test("the settings close the round, by hand or at a time, and limit the clips per person", () =>
  signedIn(browser, "settings", async ({ page, state }) => {
    await page.getByLabel("Most clips per person").fill("40");
    await page.getByLabel("Close the round").check();
    await page.getByLabel("Deadline").fill("2026-03-01T18:30");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("✓ Saved").waitFor();
    assert.equal(state.settings.quota, 40);
    assert.equal(state.settings.closed, true);
    const local = await page.evaluate(() => new Date("2026-03-01T18:30").toISOString().slice(0, 19) + "Z");
    assert.equal(state.settings.deadline, local);
    assert.equal(await page.getByLabel("Deadline").inputValue(), "2026-03-01T18:30");
    await page.getByRole("link", { name: "Progress" }).click();
    await page.getByText("The round is closed. No clips are assigned.").waitFor();
    state.settings = { ...state.settings, closed: false, deadline: "2020-01-31T14:00:00Z" };
    await page.getByText("The round ended on Friday").waitFor();
    state.settings = { ...state.settings, deadline: null };
    await becomes(() => page.locator(".round-end").count(), 0);
  }));

for (const [language, closed, quota] of [
  ["en", "The round is over. Thank you, Anna!", "That was your last clip. Thank you, Anna!"],
  ["de", "Die Runde ist beendet. Danke, Anna!", "Das war der letzte Clip. Danke, Anna!"],
] as const)
  test(`annotators are told that the round is over (${language})`, async () => {
    const state = new State(4);
    state.language = language;
    state.settings.quota = 1;
    const server = new FakeServer(state);
    await server.start();
    const who = state.invite("Anna", true);
    const { page, complaints } = await join(browser, server, who);
    try {
      await plays(page);
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
      await becomes(() => heading(page), quota);
      assert.equal(who.answers.size, 1);
      state.settings.closed = true;
      await page.locator(".notice .primary").click();
      await becomes(() => heading(page), closed);
      state.settings.closed = false;
      state.settings.quota = 0;
      await page.locator(".notice .primary").click();
      await page.locator(".verbs").first().waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await page.context().close();
      await server.stop();
    }
  });

test("names and reasons are text", () => {
  const state = disputed();
  state.decide(1, [0], NASTY.script);
  return signedIn(
    browser,
    "clip=1",
    async ({ page }) => {
      await page.locator(".settled").getByText(NASTY.script).waitFor();
      assert.equal(await page.evaluate(() => "hacked" in window), false);
    },
    state,
  );
});
