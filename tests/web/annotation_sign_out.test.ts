// SPDX-License-Identifier: MIT
//
// Annotators sign out; what they answered before arrives, with the time at which they did.
import assert from "node:assert/strict";
import { test } from "node:test";

import { headerName, opened, shows } from "./annotation_opened";
import { loadedAhead, plays, signIn } from "./annotation_page";
import { becomes } from "./page";

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

test("signing out waits for the answers of another window", () =>
  opened(async ({ page, server, who }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    const other = await page.context().newPage();
    await other.goto(`${server.url}/annotate`);
    await shows(other, "Clip no. 1");
    await plays(other);
    server.proxy = (request) =>
      request.endsWith("/annotator/answers") ? { status: 502, body: "<html>Bad Gateway</html>" } : null;
    await other.keyboard.press("1");
    await other.keyboard.press("Enter");
    await other.getByText("This browser stores unsaved answers").waitFor();
    await page.bringToFront();
    await page.getByRole("button", { name: "Sign out" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByText("One answer is not saved yet. You can sign out when").waitFor();
    assert.equal(who.sessions.size, 1);
    server.proxy = () => null;
    await other.getByText("✓ Saved").waitFor();
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await shows(page, "You are signed out");
    assert.equal(who.answers.size, 1);
  }));

test("an excluded person with an unsent answer can sign out", () =>
  opened(async ({ page, who }) => {
    await signIn(page);
    await shows(page, "Clip no. 1");
    await plays(page);
    who.person.state = "excluded";
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await shows(page, "You cannot continue here");
    await page.getByRole("button", { name: "Sign out" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This browser has stored your answers.").waitFor();
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await shows(page, "You are signed out");
    assert.equal(who.sessions.size, 0);
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
