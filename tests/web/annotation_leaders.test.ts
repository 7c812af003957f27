// SPDX-License-Identifier: MIT
//
// Leaders set up their names and passwords, sign in and out, add and remove each other, and read the log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { leading as leadingIn, signedIn as signedInAs, type Case } from "./annotation_leading";
import { visitIn } from "./annotation_page";
import { State } from "./annotation_state";
import { launch } from "./browsers";
import { NASTY } from "./names";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const leading = (address: string, act: (given: Case) => Promise<void>, state?: State) =>
  leadingIn(browser, address, act, state);
const signedIn = (view: string, act: (given: Case) => Promise<void>, state?: State) =>
  signedInAs(browser, view, act, state);

/** With a leader who has a password. */
function led(): State {
  const state = new State(4);
  state.leaders.add("Lena", "open sesame");
  return state;
}

const dashboard = (page: Page) => page.getByRole("heading", { name: "0 of 4 clips complete" }).waitFor();
const USED = "This link was already used or has expired; ask for a new one.";

test("the first visit sets name and password with the keyboard, and the token is removed from the URL", () =>
  leading("/lead#setup=first-start", async ({ page, state }) => {
    await page.getByRole("heading", { name: "Set up the first leader" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Enter a name.").waitFor();
    await page.keyboard.type("Lena");
    await page.keyboard.press("Tab");
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await page.getByText("Enter at least 8 characters.").waitFor();
    await page.getByText("The passwords are different.").waitFor();
    await page.keyboard.type(" but longer now");
    await page.keyboard.press("Tab");
    await page.keyboard.type("short but longer now");
    await page.keyboard.press("Enter");
    await dashboard(page);
    assert.equal(await page.locator("header .who").innerText(), "Lena");
    assert.deepEqual(
      state.leaders.all.map(({ name, password }) => [name, password]),
      [["Lena", "short but longer now"]],
    );
    assert.ok(!page.url().includes("first-start"), page.url());
  }));

test("without the token the page explains where to find it; a wrong one is refused", async () => {
  await leading("/lead", ({ page }) => page.getByText("it printed a link").waitFor());
  await leading("/lead#setup=guessed", async ({ page }) => {
    await page.getByText(USED).waitFor();
    await page.getByText("it printed a link").waitFor();
  });
});

test("another leader was faster: the form says so", () =>
  leading("/lead#setup=first-start", async ({ page, state }) => {
    await page.getByLabel("Name").fill("Lena");
    await page.getByLabel("Password", { exact: true }).fill("long enough");
    await page.getByLabel("Repeat the password").fill("long enough");
    state.leaders.add("Ben", "also long enough");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText(USED).waitFor();
    assert.equal(state.leaders.all.length, 1);
  }));

test("a wrong name or password is rejected, many must wait, the right one signs in", () =>
  leading(
    "/lead",
    async ({ page }) => {
      const enter = async (name: string, password: string) => {
        await page.getByLabel("Name").fill(name);
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
      };
      await enter("Lena", "guess");
      await page.getByText("Wrong name or password.").waitFor();
      await becomes(() => page.getByRole("button", { name: "Sign in" }).isEnabled(), true);
      await enter("Nobody", "open sesame");
      await becomes(() => page.getByRole("button", { name: "Sign in" }).isEnabled(), true);
      await page.getByText("Wrong name or password.").waitFor();
      await page.clock.install();
      await enter("Lena", "and again");
      await page.getByText("Too many wrong passwords.").waitFor();
      assert.ok(await page.getByRole("button", { name: /^Wait \d+ s$/ }).isDisabled());
      await page.clock.fastForward(30_000);
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await enter(" lena ", "open sesame");
      await dashboard(page);
      assert.equal(await page.locator("header .who").innerText(), "Lena");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
    led(),
  ));

test("the name is focused, Enter signs in, and errors are announced", () =>
  leading(
    "/lead",
    async ({ page }) => {
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      // Present before it has text: otherwise not every screen reader announces it.
      assert.equal(await page.getByRole("alert").count(), 1);
      await page.keyboard.type("Lena");
      await page.keyboard.press("Tab");
      await page.keyboard.type("guess");
      await page.keyboard.press("Enter");
      await becomes(() => page.getByRole("alert").innerText(), "Wrong name or password.");
      await page.getByLabel("Password").fill("");
      await page.keyboard.type("open sesame");
      await page.keyboard.press("Enter");
      await dashboard(page);
      await becomes(() => page.locator("main").getByRole("status").count(), 1);
    },
    led(),
  ));

test("a leader adds another, who sets a password with the link, once", () =>
  signedIn("leaders", async ({ page, state }) => {
    await becomes(() => page.locator(".leaders tbody tr").count(), 1);
    const field = page.getByLabel("Name", { exact: true });
    await page.getByRole("button", { name: "Create a set-up link" }).click();
    await page.getByText("Enter a name.").waitFor();
    await field.fill("LENA");
    await page.keyboard.press("Enter");
    await page.getByText("Lena is already a leader.").waitFor();
    await field.fill(NASTY.unicode);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set-up link" });
    await dialog.getByText("expires after 7 days").waitFor();
    const link = await dialog.getByRole("textbox").inputValue();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: "no password yet" }).waitFor();

    const { page: other, complaints } = await visitIn(await browser.newContext(), link);
    await other.getByRole("heading", { name: "Set your password" }).waitFor();
    await other.getByText(`You lead this project as ${NASTY.unicode}.`).waitFor();
    assert.equal(await other.getByLabel("Name").count(), 0);
    await other.keyboard.type("my own password");
    await other.keyboard.press("Tab");
    await other.keyboard.type("my own password");
    await other.keyboard.press("Enter");
    await dashboard(other);
    assert.equal(await other.locator("header .who").innerText(), NASTY.unicode);
    assert.equal(state.leaders.all[1]!.password, "my own password");
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await other.goto(link);
    await other.getByText(USED).waitFor();
    assert.ok(!other.url().includes("setup"), other.url());
    assert.deepEqual(complaints, []);
    await other.context().close();
  }));

test("a set-up link in a browser where somebody is signed in is for its leader", () =>
  signedIn("leaders", async ({ page, server, state }) => {
    Object.assign(state.leaders.add("Ben"), { token: "for-ben" });
    await page.goto(`${server.url}/lead#setup=for-ben`);
    await page.getByText("You lead this project as Ben.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("long enough");
    await page.getByLabel("Repeat the password").fill("long enough");
    await page.keyboard.press("Enter");
    await dashboard(page);
    assert.equal(await page.locator("header .who").innerText(), "Ben");
    // An invalid one changes nothing.
    await page.goto(`${server.url}/lead#setup=for-ben`);
    await dashboard(page);
  }));

test("a leader gets a new set-up link, and the old password stays valid until it is used", () =>
  signedIn("leaders", async ({ page, state }) => {
    const ben = state.leaders.add("Ben", "forgotten");
    const cleo = state.leaders.add("Cleo");
    cleo.expired = true;
    await page.reload();
    await page.getByRole("row", { name: "link expired" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New set-up link: Lena" }).count(), 0);
    await page.getByRole("button", { name: "New set-up link: Ben" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a new set-up link for Ben?" });
    await dialog.getByText("Until then the old one stays valid.").waitFor();
    await dialog.getByRole("button", { name: "New set-up link" }).click();
    const link = page.getByRole("dialog", { name: "Set-up link" }).getByRole("textbox");
    await becomes(async () => (await link.inputValue()).endsWith(`/lead#setup=${ben.token}`), true);
    assert.equal(ben.password, "forgotten");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New set-up link: Cleo" }).click();
    await page.getByRole("dialog").getByText("A set-up link from before becomes invalid.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "New set-up link" }).click();
    await page.getByRole("row", { name: "no password yet" }).waitFor();
  }));

test("leaders are removed after a confirmation; the last one is not; removing yourself signs out", () =>
  signedIn("leaders", async ({ page, state }) => {
    await page.getByRole("button", { name: "Remove: Lena" }).click();
    const yourself = page.getByRole("dialog", { name: "Remove yourself?" });
    await yourself.getByRole("button", { name: "Remove" }).click();
    await yourself.getByText("The last leader cannot be removed.").waitFor();
    await yourself.getByRole("button", { name: "Cancel" }).click();
    state.leaders.add("Ben", "long enough");
    state.leaders.add("Cleo", "long enough");
    await page.reload();
    await page.getByRole("button", { name: "Remove: Ben" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove Ben?" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove: Ben" }).click();
    await dialog.getByText("signed out everywhere").waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await becomes(() => page.locator(".leaders tbody tr").count(), 2);
    await page.getByRole("button", { name: "Remove: Lena" }).click();
    await yourself.getByText("You are signed out at once").waitFor();
    await yourself.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(
      state.leaders.all.map(({ name }) => name),
      ["Cleo"],
    );
  }));

test("a leader changes the own password, which ends the other sessions", () =>
  signedIn("leaders", async ({ page, state }) => {
    state.leaders.sessions.set("another browser", 1);
    const change = page.getByRole("button", { name: "Change the password" });
    await change.click();
    await page.getByText("Enter your present password.").waitFor();
    await page.getByText("Enter at least 8 characters.").waitFor();
    await page.getByLabel("Present password").fill("wrong");
    await page.getByLabel("New password", { exact: true }).fill("another password");
    await page.getByLabel("Repeat the new password").fill("another passwort");
    await change.click();
    await page.getByText("The passwords are different.").waitFor();
    await page.getByLabel("Repeat the new password").fill("another password");
    await change.click();
    await page.getByText("Wrong password.").waitFor();
    await page.getByLabel("Present password").fill("open sesame");
    await becomes(() => change.isEnabled(), true);
    await change.click();
    await page.getByText("✓ Changed. You are signed out everywhere else.").waitFor();
    assert.equal(state.leaders.all[0]!.password, "another password");
    assert.equal(state.leaders.sessions.size, 1);
    for (const label of ["Present password", "Repeat the new password"])
      assert.equal(await page.getByLabel(label).inputValue(), "");
    // This session goes on.
    await page.reload();
    await page.getByRole("heading", { name: "Change your password" }).waitFor();
  }));

test("the log says in words who did what and when, in pages", () => {
  const state = new State(4);
  const entries: [who: string, action: string, subject: string, details: string, sentence: string][] = [
    ["Lena", "invited", "Anna", "", "invited Anna"],
    ["Lena", "changed the state", "Anna", "active to paused", "paused Anna"],
    ["Lena", "changed the state", "Anna", "paused to active", "resumed Anna"],
    ["Lena", "changed the state", "Anna", "active to excluded", "excluded Anna"],
    ["Lena", "changed the state", "Anna", "excluded to active", "included Anna again"],
    [
      "(server)",
      "changed the state",
      "Bo",
      "active to paused, because of gold clips",
      "paused Bo: because of gold clips",
    ],
    ["Lena", "changed the state", "Bo", "mad to madder", "changed the state of Bo: mad to madder"],
    [
      "Lena",
      "changed settings",
      "",
      "hold_minutes: 30 to 20, quota: 0 to 5",
      "changed settings: hold minutes: 30 to 20, quota: 0 to 5",
    ],
    ["Lena", "left out", "clip 2", "black, see: mail", "left out clip no. 2: black, see: mail"],
    ["Lena", "undid the decision", "clip 2", "", "undid the decision on clip no. 2"],
    ["Lena", "deleted reports", "clip 3", "reports: 2", "deleted reports of clip no. 3: reports: 2"],
    ["Lena", "ended the practice", "Bo", "", "ended the practice of Bo"],
    ["Lena", "created a new link", "Bo", "", "created a new link for Bo"],
    ["Lena", "renamed", "Bo", "Bob", "renamed Bo to Bob"],
    ["(command line)", "removed", "Bob", "answers kept", "removed Bob: answers kept"],
    ["Lena", "invited a leader", "Ben", "", "invited Ben as a leader"],
    ["Ben", "set a password", "Ben", "", "set their password"],
    ["Ben", "changed the password", "Ben", "", "changed their password"],
    ["Lena", "created a set-up link", "Ben", "", "created a set-up link for Ben"],
    ["Lena", "removed a leader", "Ben", "", "removed the leader Ben"],
    ["Lena", "exported", "jsonl", "pseudonyms", "exported jsonl: pseudonyms"],
    ["Lena", "invited", NASTY.script, "", `invited ${NASTY.script}`],
    [
      NASTY.unicode,
      "did a thing that this page does not know",
      "",
      "",
      "did a thing that this page does not know",
    ],
  ];
  return signedIn(
    "log",
    async ({ page }) => {
      await page.getByText("Nothing has been changed yet.").waitFor();
      for (const [who, action, subject, details] of entries)
        state.leaders.note(who, action, subject, details);
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByText("23 entries.").waitFor();
      await becomes(() => page.locator(".log tbody tr").count(), 20);
      await page.getByText("20 of 23").waitFor();
      await page.getByRole("button", { name: "Show more" }).click();
      const newestFirst = [...entries].reverse();
      await becomes(
        () => page.locator(".log .what").allInnerTexts(),
        newestFirst.map(([, , , , sentence]) => sentence),
      );
      await becomes(
        () => page.locator('.log td[data-title="Who"]').allInnerTexts(),
        newestFirst.map(([who]) => who.replace(/[()]/g, "")),
      );
      const local = await page.evaluate(() => new Date("2026-01-31T14:03:21Z").getHours());
      const [time] = await page.locator(".log time").allInnerTexts();
      assert.equal(time, `31 Jan 2026, ${String(local).padStart(2, "0")}:03`);
      await page.getByRole("link", { name: "clip no. 3" }).click();
      await page.getByRole("heading", { name: "Clip no. 3" }).waitFor();
      assert.equal(await page.evaluate(() => "hacked" in window), false);
    },
    state,
  );
});

test("lists that cannot be loaded say so", () =>
  signedIn("progress", async ({ page, server }) => {
    await dashboard(page);
    server.proxy = (request) =>
      /leaders|log$/.test(request) ? { status: 502, body: "<html>Bad Gateway</html>" } : null;
    for (const view of ["Leaders", "Log"]) {
      await page.getByRole("link", { name: view }).click();
      await becomes(
        () => page.getByRole("alert").first().innerText(),
        "The server is not reachable. Check your connection and try again.",
      );
    }
    server.proxy = () => null;
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("Nothing has been changed yet.").waitFor();
  }));

test("a removed leader is asked to sign in", () =>
  signedIn("people", async ({ page, state }) => {
    await page.getByRole("heading", { name: "Participants" }).waitFor();
    state.leaders.sessions.clear();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }));
