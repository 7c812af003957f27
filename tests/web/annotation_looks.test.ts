// SPDX-License-Identifier: MIT
//
// Every screen of the annotation pages in light and dark, wide and narrow, with names that break pages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { join, PHONE, plays, visit, type Visit } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { answerWith, State } from "./annotation_state";
import { launch } from "./browsers";
import { faintTexts } from "./legibility";
import { className, NASTY } from "./names";
import { becomes, type Look } from "./page";

const LOOKS: Look[] = [
  { width: 1280, theme: "light" },
  { width: 1280, theme: "dark" },
  { width: 360, theme: "light" },
  { width: 360, theme: "dark" },
];

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

function nastyState(): State {
  const state = new State(
    6,
    NASTY.long,
    Array.from({ length: 11 }, (_, at) => className(at)),
  );
  state.leaders.add(NASTY.script, "open sesame");
  for (const name of Object.values(NASTY)) {
    const who = state.invite(name, true);
    for (const task of [1, 2, 3]) who.answers.set(task, answerWith([task, 4], { confident: false }));
    who.answers.set(4, answerWith([], { nothing: true, comment: name, flagged: true }));
    who.answers.set(6, answerWith([], { other: true, other_verb: name.slice(0, 40), comment: name }));
    who.person.answers = who.answers.size;
    state.statistics.people[name] = {
      found: 0.4,
      verbs_per_clip: 1.2,
      seconds_per_clip: 75,
      chosen_share: 0.9,
      same_keys: 0.8,
      compared: 1234,
      agreement: -0.1,
      quality: {
        rank: 12,
        score: 1,
        sensitivity: { value: 1, low: 0.996, high: 1 },
        specificity: { value: 1, low: 0.996, high: 1 },
      },
      gold: { answers: 12, hits: 3, wrong: 40, missed: 9, f1: 0.109 },
      warnings: ["found", "few_verbs", "many_verbs", "fast", "same_keys", "agreement", "gold"],
    };
    who.reported.add(5);
  }
  state.people[2]!.person.state = "paused";
  state.people[2]!.person.paused_for = "gold";
  state.statistics.overview.gold = 20;
  state.people[3]!.person.state = "excluded";
  state.statistics.overview.answers_per_hour = Array.from({ length: 24 }, (_, at) => ({
    hour: new Date(Date.UTC(2026, 0, 31, at)).toISOString(),
    answers: at * 1000 + 1,
  }));
  return state;
}

/** Layout errors: low contrast, overflow, controls cut off. */
async function faults(page: Page, width: number): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  const outside = await page.evaluate(
    (limit) =>
      [...document.querySelectorAll("button, input, select, a, video:not(.ahead), h1, h2")]
        .filter((element) => !element.closest(".hidden"))
        .filter((element) => {
          const { left, right, width: own } = element.getBoundingClientRect();
          return own > 1 && (left < -1 || right > limit + 1);
        })
        .map((element) => `outside: ${element.outerHTML.slice(0, 80)}`),
    width,
  );
  return [
    ...(await page.evaluate(faintTexts)),
    ...(wide > width ? [`the page is ${wide} pixels wide`] : []),
    ...outside,
  ];
}

for (const look of LOOKS) {
  const options = {
    colorScheme: look.theme,
    ...(look.width < 1000 ? PHONE : { viewport: { width: look.width, height: 720 } }),
  };
  const expectFine = async (page: Page, screen: string) =>
    assert.deepEqual(await faults(page, look.width), [], screen);
  const named = `${look.width} pixels, ${look.theme}`;
  /** Opens a page on its own server, and always closes both. */
  const looking = async (
    open: (server: FakeServer) => Promise<Visit>,
    act: (page: Page, server: FakeServer) => Promise<void>,
  ) => {
    const server = new FakeServer(nastyState());
    await server.start();
    const { page, complaints } = await open(server);
    try {
      await act(page, server);
      assert.equal(await page.evaluate(() => "hacked" in window), false);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), look.theme);
      assert.deepEqual(complaints, []);
    } finally {
      await page.context().close();
      await server.stop();
    }
  };

  test(`the annotator's screens, ${named}: legible, fit, no complaint`, () =>
    looking(
      (server) => join(browser, server, server.state.invite(NASTY.long), options),
      async (page, server) => {
        const who = server.state.people.at(-1)!;
        await page.getByRole("heading", { name: "Welcome" }).waitFor();
        await expectFine(page, "instructions");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Practice 1 of 2" }).waitFor();
        await plays(page);
        await page.keyboard.press("2");
        await page.keyboard.press("Enter");
        await page.locator(".feedback").waitFor();
        await expectFine(page, "practice");
        who.practised = true;
        await page.reload();
        await page.getByRole("heading", { name: "Clip no. 1" }).waitFor();
        await plays(page);
        for (const key of ["1", "5", "u"]) await page.keyboard.press(key);
        await expectFine(page, "clip");
        for (const key of ["m", "c", "Escape", "o", "Escape"]) await page.keyboard.press(key);
        await becomes(() => page.locator(".own-words").count(), 2);
        await expectFine(page, "own words");
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
        await expectFine(page, "help");
        await page.keyboard.press("Escape");
        server.offline = true;
        await page.keyboard.press("Enter");
        await page.locator(".lost").waitFor();
        await expectFine(page, "connection lost");
        server.offline = false;
        await page.getByRole("heading", { name: "Clip no. 2" }).waitFor();
        const answered = (most: number) => {
          for (let task = 1; task <= most; task++) who.answers.set(task, answerWith([1]));
          who.held = [];
        };
        server.clip = () => Buffer.from("no video at all");
        answered(4);
        await page.reload();
        await page.getByText("The clip does not load.").waitFor();
        await page.waitForTimeout(600);
        await expectFine(page, "a clip that does not load");
        answered(6);
        await page.reload();
        await page.getByRole("heading", { name: "Thank you" }).waitFor();
        await expectFine(page, "thanks");
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("dialog").waitFor();
        await expectFine(page, "sign out");
        await page.keyboard.press("Escape");
        await page.goto(server.link(server.state.newLink(who)));
        await page.getByRole("heading", { name: "You are signed in as" }).waitFor();
        await expectFine(page, "signed in already");
      },
    ));

  test(`the leader's screens, ${named}: legible, fit, no complaint`, () =>
    looking(
      (server) => visit(browser, `${server.url}/lead`, options),
      async (page, server) => {
        for (const subject of Object.values(NASTY))
          server.state.leaders.note(subject, "invited", subject, subject);
        await page.getByLabel("Name").fill(NASTY.script);
        await page.getByLabel("Password").fill("wrong");
        await page.keyboard.press("Enter");
        await page.getByText("Wrong name or password.").waitFor();
        await expectFine(page, "sign in");
        await page.getByLabel("Password").fill("open sesame");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "clips complete" }).waitFor();
        await expectFine(page, "progress");
        await page.getByRole("link", { name: "People" }).click();
        await page.getByRole("button", { name: "Change" }).first().waitFor();
        await expectFine(page, "people");
        for (const action of ["Exclude", "New link", "Rename", "Remove"]) {
          await page.getByRole("button", { name: "Change" }).nth(4).click();
          await page.getByRole("dialog").waitFor();
          await expectFine(page, "changes");
          await page.getByRole("dialog").getByRole("button", { name: action }).click();
          await page.getByRole("dialog").waitFor();
          if (action === "Remove") await page.getByLabel("Delete the answers, too").check();
          await expectFine(page, action);
          await page.keyboard.press("Escape");
        }
        await page.getByText("Invite many people at once").click();
        await page.getByLabel("Names").fill([NASTY.script, NASTY.quotes, "Zoe", "Yann"].join("\n"));
        await expectFine(page, "invite many");
        await page.getByRole("button", { name: "Create personal links" }).click();
        await page.getByRole("dialog").waitFor();
        await page.getByRole("button", { name: "Done", exact: true }).click();
        await expectFine(page, "links");
        await page.getByRole("button", { name: "Close without the links" }).click();
        await page.getByRole("link", { name: "Disputes" }).click();
        await page.locator(".dispute").first().waitFor();
        await expectFine(page, "disputes");
        await page.getByRole("link", { name: "Reports" }).click();
        await page.getByRole("button", { name: "Assign again" }).first().waitFor();
        await expectFine(page, "reports");
        await page.getByRole("link", { name: "Comments" }).click();
        await page.getByRole("heading", { name: "comments and marks" }).waitFor();
        await expectFine(page, "comments");
        await page.getByRole("link", { name: "Settings" }).click();
        await page.getByLabel("People per clip").fill("many");
        await expectFine(page, "settings");
        await page.getByRole("link", { name: "Leaders" }).click();
        await page.getByLabel("Name", { exact: true }).fill(NASTY.rightToLeft);
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "Set-up link" }).waitFor();
        await expectFine(page, "set-up link");
        const link = await page.getByRole("dialog").getByRole("textbox").inputValue();
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Change the password" }).click();
        await page.getByText("Enter your present password.").waitFor();
        await expectFine(page, "leaders");
        await page.getByRole("link", { name: "Log" }).click();
        await page.getByRole("cell", { name: "invited" }).first().waitFor();
        await expectFine(page, "log");
        await page.goto(link);
        await page.getByRole("heading", { name: "Set your password" }).waitFor();
        await page.getByRole("button", { name: "Set the password" }).click();
        await expectFine(page, "set up");
      },
    ));
}
