// SPDX-License-Identifier: MIT
//
// Annotators sign in with their personal link, once on each device.
import assert from "node:assert/strict";
import { test } from "node:test";

import { headerName, opened, shows } from "./annotation_opened";
import { plays, signIn } from "./annotation_page";
import { State, type Annotator } from "./annotation_state";
import { becomes } from "./page";

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
    await page.getByRole("group", { name: "Signed in as Anna" }).waitFor();
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

test("if the reply does not arrive as a whole but the cookie does, the device is signed in", () =>
  opened(async ({ page, server, who }) => {
    await shows(page, "Sign in on this device");
    server.cuttingReplies = 1;
    await page.getByRole("button", { name: "Sign in" }).click();
    await shows(page, "Clip no. 1");
    assert.equal(who.link, "used");
    assert.equal(await headerName(page), "Anna");
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
