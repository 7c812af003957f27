// SPDX-License-Identifier: MIT
//
// People and leaders of a round with the program itself: invitations, links, devices, passwords and the log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { choose } from "./annotation_leading";
import { plays, signIn, visit } from "./annotation_page";
import { practise, Program, setPassword } from "./annotation_program";
import { launch } from "./browsers";
import { becomes } from "./page";

let browser: Browser;
let program: Program;
before(async () => {
  program = new Program();
  browser = await launch();
});
after(async () => {
  await browser.close();
  program.remove();
});

const shows = (page: Page, title: string) => becomes(() => page.locator("h1").innerText(), title);
const linkIn = (page: Page) => page.getByRole("dialog").getByRole("textbox").inputValue();

test("two leaders invite people, who sign in on several devices; nothing of a removed person is left", async () => {
  program.makeDataset(3);
  program.prepare("project");
  const { address } = await program.serve("project", "0");
  const site = address.slice(0, address.indexOf("/lead"));
  const { page: lena, complaints } = await visit(browser, address);
  await setPassword(lena);
  await lena.getByRole("heading", { name: "0 of 3 clips complete" }).waitFor();
  assert.equal(await lena.locator("header .who").innerText(), "Lena");

  // Lena adds Ben, who signs in with a password of his own.
  await lena.getByRole("link", { name: "Leaders" }).click();
  await lena.getByLabel("Name", { exact: true }).fill("Ben");
  await lena.keyboard.press("Enter");
  const { page: ben, complaints: bens } = await visit(browser, await linkIn(lena));
  await lena.keyboard.press("Escape");
  await ben.getByText("You lead this project as Ben.").waitFor();
  await ben.getByLabel("Password", { exact: true }).fill("the word of Ben");
  await ben.getByLabel("Repeat the password").fill("the word of Ben");
  await ben.keyboard.press("Enter");
  await ben.getByRole("heading", { name: "0 of 3 clips complete" }).waitFor();
  await ben.getByRole("button", { name: "Sign out" }).click();
  await ben.getByLabel("Name").fill("ben");
  await ben.getByLabel("Password").fill("the word of Lena");
  await ben.keyboard.press("Enter");
  await ben.getByText("Wrong name or password.").waitFor();
  await ben.getByLabel("Password").fill("the word of Ben");
  await ben.keyboard.press("Enter");

  // Ben invites three people, and one of them again.
  await ben.getByRole("link", { name: "People" }).click();
  const many = async (names: string) => {
    await ben.getByLabel("Names").fill(names);
    await ben.getByRole("button", { name: "Create personal links" }).click();
    await ben.getByRole("dialog", { name: "Personal links" }).waitFor();
    const links = await ben.getByRole("dialog").locator("tbody td").allInnerTexts();
    await ben.getByRole("button", { name: "Done" }).click();
    await ben.getByRole("button", { name: "Close without the links" }).click();
    return links;
  };
  await ben.getByText("Invite many people at once").click();
  const [anna, bo] = await many("name;mail\nAnna;a@x.org\nBo;b@x.org\n");
  assert.match(anna!, new RegExp(`^${site}/join#.{20,}$`));
  const [again, chidi] = await many("anna\nChidi");
  assert.equal(again, "already invited");

  // Anna annotates on two devices, then signs out on the first.
  const { page: first, complaints: annas } = await visit(browser, anna!);
  await signIn(first);
  await practise(first);
  await plays(first);
  await first.keyboard.press("1");
  await first.keyboard.press("Enter");
  await becomes(() => first.locator(".progress").innerText(), "1 of 3");
  const { page: stranger } = await visit(browser, anna!);
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await stranger.getByText("This link was already used or has expired.").waitFor();
  await choose(ben, "Anna", "New link");
  await ben.getByRole("dialog").getByText("Now one device is signed in.").waitFor();
  await ben.getByRole("dialog").getByRole("button", { name: "New link" }).click();
  const { page: second } = await visit(browser, await linkIn(ben));
  await ben.keyboard.press("Escape");
  await signIn(second);
  await becomes(() => second.locator(".progress").innerText(), "1 of 3");
  const devices = ben.locator(".access").first();
  await becomes(() => devices.innerText(), "2 devices");
  await first.getByRole("button", { name: "Sign out" }).click();
  await first.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await shows(first, "You are signed out");
  await becomes(() => devices.innerText(), "one device");

  // She gets another name, and is removed with her answer.
  await choose(ben, "Anna", "Rename");
  await ben.getByLabel("New name").fill("bo");
  await ben.keyboard.press("Enter");
  await ben.getByText("Bo is already invited.").waitFor();
  await ben.getByLabel("New name").fill("Annika");
  await ben.keyboard.press("Enter");
  await choose(ben, "Annika", "Remove");
  await ben.getByLabel("Delete the answers, too").check();
  await ben.getByLabel("Type “delete” to confirm").fill("delete");
  await ben.getByRole("button", { name: "Delete for ever" }).click();
  await becomes(() => ben.locator(".people tbody tr").count(), 2);
  await second.reload();
  await second.getByText(/^open your personal link/i).waitFor();

  // Chidi never signs in, and is removed as well; Bo is excluded and cannot sign in.
  await choose(ben, "Chidi", "Remove");
  await ben.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await ben.getByText("former annotator 3").waitFor();
  await stranger.goto(chidi!);
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await stranger.getByText("This link was already used or has expired.").waitFor();
  await choose(ben, "Bo", "Exclude");
  await ben.getByRole("dialog").getByRole("button", { name: "Exclude" }).click();
  await becomes(() => ben.locator(".badge").allInnerTexts(), ["excluded", "removed"]);
  await stranger.goto(bo!);
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await stranger.getByText("You no longer take part in this project.").waitFor();

  // Ben changes his password and the setting of links; Lena reads all that in the log, and removes him.
  await ben.getByRole("link", { name: "Leaders" }).click();
  await ben.getByLabel("Present password").fill("the word of Ben");
  await ben.getByLabel("New password", { exact: true }).fill("a better word");
  await ben.getByLabel("Repeat the new password").fill("a better word");
  await ben.getByRole("button", { name: "Change the password" }).click();
  await ben.getByText("✓ Changed.").waitFor();
  await ben.getByRole("link", { name: "Settings" }).click();
  await ben.getByLabel("Personal links expire after").fill("3");
  await ben.getByRole("button", { name: "Save settings" }).click();
  await ben.getByText("✓ Saved").waitFor();
  await lena.getByRole("link", { name: "Log" }).click();
  const told = () =>
    lena.locator(".log tbody tr").evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll("td")]
          .slice(1)
          .map((cell) => cell.textContent)
          .join(" "),
      ),
    );
  await becomes(told, [
    "Ben changed settings: link days: 14 to 3",
    "Ben changed their password",
    "Ben excluded Bo",
    "Ben removed Chidi: answers kept",
    "Ben removed Annika: answers deleted: 1",
    "Ben renamed Anna to Annika",
    "Ben created a new link for Anna",
    "Ben invited Chidi",
    "Ben invited Bo",
    "Ben invited Anna",
    "Ben set their password",
    "Lena invited Ben as a leader",
    "Lena set their password",
  ]);
  await lena.getByRole("link", { name: "Leaders" }).click();
  await lena.getByRole("button", { name: "Remove: Ben" }).click();
  await lena.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await ben.getByRole("heading", { name: "Sign in" }).waitFor();
  await lena.getByRole("button", { name: "Remove: Lena" }).click();
  await lena.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await lena.getByText("only leader with a password").waitFor();
  assert.deepEqual([...complaints, ...bens, ...annas], []);
});
