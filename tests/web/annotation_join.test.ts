// SPDX-License-Identifier: MIT
//
// Annotators sign in with their personal link, once on each device, and sign out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { loadedAhead, PHONE, plays, signIn, visit } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { State, type Annotator } from "./annotation_state";
import { launch } from "./browsers";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

interface Case {
  page: Page;
  server: FakeServer;
  state: State;
  who: Annotator;
  /** Opens the newest link of the person in the same browser. */
  open: () => Promise<unknown>;
}

/** A page that was opened by the personal link of Anna, or by the address. */
async function opened(
  act: (given: Case) => Promise<void>,
  { address, state = new State(5), phone = false }: { address?: string; state?: State; phone?: boolean } = {},
): Promise<void> {
  const server = new FakeServer(state);
  await server.start();
  const who = state.invite("Anna", true);
  const target = address === undefined ? server.link(who) : server.url + address;
  const { page, complaints } = await visit(browser, target, phone ? PHONE : {});
  page.on("dialog", (dialog) => void dialog.accept());
  try {
    await act({ page, server, state, who, open: () => page.goto(server.link(who)) });
    assert.deepEqual(complaints, []);
  } finally {
    await page.context().close();
    await server.stop();
  }
}

const heading = (page: Page) => page.locator("h1").innerText();
const shows = (page: Page, title: string) => becomes(() => heading(page), title);
const headerName = (page: Page) => page.locator("header .who").innerText();

test("a link signs in only when the button is pressed, and is removed from the address at once", () =>
  opened(async ({ page, server, who }) => {
    await shows(page, "Sign in on this device");
    assert.equal(page.url(), `${server.url}/annotate`);
    assert.ok(!(await page.evaluate(() => history.length > 2)));
    assert.equal(who.link, "open");
    // The button is focused.
    await page.keyboard.press("Enter");
    await shows(page, "Clip no. 1");
    assert.equal(who.link, "used");
    assert.equal(await headerName(page), "Anna");
    await page.getByTitle("Signed in as Anna").waitFor();
    assert.ok(!server.requests.some((request) => request.includes(who.token)));
  }));

test("the device stays signed in: after a reload, and when the used link is opened again", () =>
  opened(async ({ page, who, open }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    await page.reload();
    await shows(page, "Clip no. 1");
    await open();
    await shows(page, "Clip no. 1");
    assert.equal(who.sessions.size, 1);
  }));

test("a link that was used, has expired or never existed is refused with the same words", async () => {
  for (const spoil of [
    (who: Annotator) => (who.link = "used"),
    (who: Annotator) => (who.link = "expired"),
    (who: Annotator) => (who.token = "another"),
  ])
    await opened(async ({ page, who }) => {
      await shows(page, "Sign in on this device");
      spoil(who);
      await page.getByRole("button", { name: "Sign in" }).click();
      await shows(page, "This link is not valid");
      await page.getByText("This link was already used or has expired. Ask for a new one.").waitFor();
      assert.equal(await page.getByRole("button").count(), 0);
    });
});

test("with a session, a link that is not valid any more changes nothing", () =>
  opened(async ({ page, state, who, open }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    state.newLink(who).link = "expired";
    await open();
    await shows(page, "You are signed in as Anna");
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await page.getByText("This device is still signed in.").waitFor();
    await page.getByRole("button", { name: "Continue as Anna" }).click();
    await shows(page, "Clip no. 1");
    assert.equal(await headerName(page), "Anna");
  }));

test("with a session, a new link can be left for another device, or used", () =>
  opened(async ({ page, state, who, open }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    state.newLink(who);
    await open();
    await page.getByText("If the link is meant for another device, open it there").waitFor();
    await page.keyboard.press("Enter");
    await shows(page, "Clip no. 1");
    assert.equal(who.link, "open");
    await open();
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await shows(page, "Clip no. 1");
    assert.equal(who.link, "used");
    assert.equal(who.sessions.size, 2);
  }));

test("the link of another person replaces the session after the button is pressed", () =>
  opened(async ({ page, server, state }) => {
    await signIn(page);
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("✓ Saved").waitFor();
    const bo = state.invite("Bo", true);
    await page.goto(server.link(bo));
    await shows(page, "You are signed in as Anna");
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await shows(page, "Clip no. 1");
    assert.equal(await headerName(page), "Bo");
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(async () => bo.answers.size, 1);
  }));

test("without its end, a link is said to be incomplete; without a link, to need one", async () => {
  await opened(
    async ({ page }) => {
      await shows(page, "This link is not valid");
      await page.getByText("The link is not complete: the part after # is missing.").waitFor();
    },
    { address: "/join" },
  );
  await opened(
    async ({ page }) => {
      await shows(page, "You are not signed in");
      await page.getByText("Open your personal link.").waitFor();
    },
    { address: "/annotate" },
  );
});

test("without a server the link is not used up, and the button can be pressed again", () =>
  opened(async ({ page, server, who }) => {
    await shows(page, "Sign in on this device");
    server.offline = true;
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The server is not reachable.").waitFor();
    assert.equal(who.link, "open");
    server.offline = false;
    await page.getByRole("button", { name: "Sign in" }).click();
    await shows(page, "Clip no. 1");
  }));

test("an excluded person cannot sign in, but somebody else can on the same device", () =>
  opened(async ({ page, server, state, who }) => {
    who.person.state = "excluded";
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("You no longer take part in this project.").waitFor();
    who.person.state = "active";
    await page.getByRole("button", { name: "Sign in" }).click();
    await shows(page, "Clip no. 1");
    who.person.state = "excluded";
    await page.reload();
    await shows(page, "You cannot continue here");
    await page.goto(server.link(state.invite("Bo", true)));
    await shows(page, "Sign in on this device");
    await page.getByRole("button", { name: "Sign in" }).click();
    await shows(page, "Clip no. 1");
    assert.equal(await headerName(page), "Bo");
  }));

test("signing out asks first, and ends the session of this device only", () =>
  opened(async ({ page, who, server }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    who.sessions.add("another device");
    await page.getByRole("button", { name: "Sign out" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign out on this device?" });
    await dialog.getByText("you need a new personal link").waitFor();
    // The focus is on the button that changes nothing.
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal(who.sessions.size, 2);
    await page.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await shows(page, "You are signed out");
    assert.deepEqual([...who.sessions], ["another device"]);
    const asked = server.requests.length;
    // Nothing is requested any more.
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.waitForTimeout(300);
    assert.equal(server.requests.length, asked);
    await page.reload();
    await shows(page, "You are not signed in");
  }));

test("signing out waits for unsent answers, and follows when they are saved", () =>
  opened(async ({ page, server, who }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    await plays(page);
    await loadedAhead(page);
    server.offline = true;
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator(".lost").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("One answer is not saved yet.").waitFor();
    await dialog.getByText("You can sign out when all answers are saved.").waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Sign out" }).isDisabled());
    server.offline = false;
    await dialog.getByText("All answers that you sent are saved.").waitFor();
    assert.equal(who.answers.size, 1);
    server.offline = true;
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByText("The server is not reachable.").waitFor();
    server.offline = false;
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await shows(page, "You are signed out");
  }));

test("before and during the practice, people can sign out as well", () =>
  opened(async ({ page, who }) => {
    who.practised = false;
    await signIn(page);
    await shows(page, "Welcome, Anna");
    assert.equal(await headerName(page), "Anna");
    await page.getByRole("button", { name: "Start the practice round" }).click();
    await shows(page, "Practice 1 of 2");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await shows(page, "You are signed out");
  }));

test("another window notices that the device was signed out, and keeps its answer", () =>
  opened(async ({ page, who }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    await plays(page);
    who.sessions.clear();
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await shows(page, "You cannot continue here");
    await page.getByText("You were signed out, or another personal link was used").waitFor();
    await page.getByText("It sends them when you sign in here again.").waitFor();
  }));

test("an answer is sent with its age, also after the page was closed", () =>
  opened(async ({ page, server, who }) => {
    await signIn(page);
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(async () => who.answers.size, 1);
    assert.ok(who.ages.get(1)! < 5000, `${who.ages.get(1)} ms`);
    await shows(page, "Clip no. 2");
    await plays(page);
    server.offline = true;
    const before = Date.now();
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("This browser stores unsaved answers").waitFor();
    const given = Date.now();
    await page.goto("about:blank");
    await page.waitForTimeout(1500);
    server.offline = false;
    const opening = Date.now();
    await page.goto(`${server.url}/annotate`);
    await becomes(async () => who.answers.size, 2);
    const age = who.ages.get(2)!;
    assert.ok(age >= opening - given && age <= Date.now() - before, `${age} ms`);
  }));

test("a clock that was set back gives an age of 0, one set forward at most 60 days", () =>
  opened(async ({ page, server, who }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    await plays(page);
    await loadedAhead(page);
    for (const [task, days, age] of [
      [1, -1, 0],
      [2, 100, 60 * 86_400_000],
    ] as const) {
      await shows(page, `Clip no. ${task}`);
      await plays(page);
      server.offline = true;
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
      await page.getByText("One answer is not saved yet. This browser stores").waitFor();
      await page.evaluate((by) => {
        const { now } = Date;
        Date.now = () => now() + by * 86_400_000;
      }, days);
      server.offline = false;
      await page.getByRole("button", { name: "Try now" }).click();
      await becomes(async () => who.answers.has(task), true);
      assert.equal(who.ages.get(task), age);
    }
  }));

test("signing in and out is in the language of the project", () => {
  const state = new State(3, "Werkstatt");
  state.language = "de";
  return opened(
    async ({ page, server, who, open }) => {
      await shows(page, "Auf diesem Gerät anmelden");
      await page.getByRole("button", { name: "Anmelden" }).tap();
      await shows(page, "Clip Nr. 1");
      state.newLink(who);
      await open();
      await shows(page, "Angemeldet als Anna");
      await page.getByRole("button", { name: "Weiter als Anna" }).tap();
      await shows(page, "Clip Nr. 1");
      await page.getByRole("button", { name: "Abmelden" }).tap();
      const dialog = page.getByRole("dialog", { name: "Auf diesem Gerät abmelden?" });
      await dialog.getByText("ist ein neuer persönlicher Link nötig").waitFor();
      await dialog.getByRole("button", { name: "Abmelden" }).tap();
      await shows(page, "Abgemeldet");
      who.link = "used";
      await open();
      await page.getByRole("button", { name: "Anmelden" }).tap();
      await page.getByText("Dieser Link wurde schon benutzt oder ist abgelaufen.").waitFor();
      await page.goto(`${server.url}/join`);
      await page.getByText("Der Link ist nicht vollständig").waitFor();
    },
    { state, phone: true },
  );
});
