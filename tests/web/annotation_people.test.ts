// SPDX-License-Identifier: MIT
//
// Leaders invite people, one or many, give new links, rename and remove people.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { listFault, namesIn } from "../../web/src/annotation/leader/name_list";
import { choose, disputed, signedIn as signedInAs, type Case } from "./annotation_leading";
import { State } from "./annotation_state";
import { inFirefox, launch } from "./browsers";
import { NASTY } from "./names";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const onPeople = (act: (given: Case) => Promise<void>, state?: State) =>
  signedInAs(browser, "people", act, state);

/** The file that the page saves. */
async function savedBy(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  if (!inFirefox) {
    const [file] = await Promise.all([page.waitForEvent("download"), press()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  }
  // Playwright does not notice when an unpatched Firefox saves a blob.
  await page.evaluate(() => {
    const made = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob: Blob) => {
      void blob.text().then((text) => Object.assign(window, { text }));
      return made(blob);
    };
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      Object.assign(window, { saved: this.download });
    };
  });
  await press();
  await page.waitForFunction(() => "text" in window);
  return page.evaluate(() => {
    const { saved: name, text } = window as unknown as { saved: string; text: string };
    return { name, text };
  });
}

test("names are one per line, or the column of a table", () => {
  assert.deepEqual(namesIn(""), []);
  assert.deepEqual(namesIn(" \n\n"), []);
  assert.deepEqual(namesIn("Ann\r\n  Ben \n\nCurie, Marie\n"), ["Ann", "Ben", "Curie, Marie"]);
  assert.deepEqual(namesIn("\ufeffname\nAnn\nBen"), ["Ann", "Ben"]);
  assert.deepEqual(namesIn('mail,Name\na@b.org,"Curie, Marie"\nb@b.org, "say ""hi"""\n,'), [
    "Curie, Marie",
    'say "hi"',
  ]);
  assert.deepEqual(namesIn('\n"name";mail\n"Ann\nLee";x\n;y\nBen'), ["Ann Lee", "Ben"]);
  assert.deepEqual(namesIn("group\tname\n1\tAnn\n2\tBen\n3"), ["Ann", "Ben"]);
  assert.deepEqual(namesIn("my name\nAnn"), ["my name", "Ann"]);
});

test("lists that cannot be sent are named", () => {
  assert.equal(listFault([]), "Enter at least one name.");
  assert.equal(listFault(Array(500).fill("Ann")), "");
  assert.equal(listFault(Array(501).fill("Ann")), "Enter at most 500 names at once; these are 501.");
  assert.equal(listFault(["Ann", "x".repeat(100)]), "");
  assert.equal(listFault(Array(500).fill("x".repeat(100))), "");
  assert.equal(
    listFault(Array(500).fill('"'.repeat(100))),
    "The list is too long. Invite these people in parts.",
  );
  assert.equal(listFault(["Ann", "ö".repeat(51)]), `Name 2 is too long: ${"ö".repeat(20)}…`);
});

test("an invitation shows the link once, to copy; any name is possible", () =>
  onPeople(async ({ page, server, state }) => {
    await page.getByRole("button", { name: "Create a personal link" }).click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill(NASTY.script);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Personal link" });
    await dialog.getByText("it signs in one device, once, and expires after 14 days").waitFor();
    const link = await dialog.getByRole("textbox").inputValue();
    assert.equal(link, `${server.url}/join#${state.people[0]!.token}`);
    if (!inFirefox) await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    await dialog.getByRole("button", { name: "Done" }).click();
    await becomes(() => page.locator(".people tbody tr").count(), 1);
    assert.ok(!(await page.content()).includes(link));
    assert.equal(await page.evaluate(() => "hacked" in window), false);
  }));

test("a name that is taken is refused, and stays in the field", () =>
  onPeople(async ({ page, state }) => {
    state.invite("Ann Lee");
    const field = page.getByLabel("Name", { exact: true });
    await field.fill(" ann  LEE ");
    await page.keyboard.press("Enter");
    await page.getByText("Ann Lee is already invited.").waitFor();
    assert.equal(await field.inputValue(), " ann  LEE ");
    await field.fill("x".repeat(101));
    await page.getByText("The name is too long.").waitFor();
    assert.equal(state.people.length, 1);
  }));

test("many people are invited at once, and their links copied or saved", () =>
  onPeople(async ({ page, server, state }) => {
    state.invite("Ann");
    await page.getByText("Invite many people at once").click();
    const create = page.getByRole("button", { name: "Create personal links" });
    await create.click();
    await page.getByText("Enter at least one name.").waitFor();
    const names = page.getByLabel("Names");
    await names.fill(Array.from({ length: 501 }, (_, at) => `Person ${at}`).join("\n"));
    await page.getByText("Enter at most 500 names at once; these are 501.").waitFor();
    await create.click();
    assert.equal(state.people.length, 1);
    await names.fill(
      `mail;name\na@b.org;=Ben\nb@b.org;ann\nc@b.org;"${NASTY.quotes.replaceAll('"', '""')}"\n`,
    );
    await page.getByText("3 names.").waitFor();
    await create.click();
    const dialog = page.getByRole("dialog", { name: "Personal links" });
    await dialog.getByText("2 new links.").waitFor();
    await dialog.getByText("One person is already invited and gets no new link.").waitFor();
    const link = (at: number) => server.link(state.people[at]!);
    await becomes(
      () => dialog.locator("tbody tr").allInnerTexts(),
      [`=Ben\t${link(1)}`, "Ann\talready invited", `${NASTY.quotes}\t${link(2)}`],
    );
    const expected = `name,link\r\n'=Ben,${link(1)}\r\n"${NASTY.quotes.replaceAll('"', '""')}",${link(2)}\r\n`;
    if (!inFirefox) await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy all as CSV" }).click();
    await dialog.getByText("Copied.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // Text fields have one kind of line break.
    assert.equal(copied, expected.replaceAll("\r\n", "\n"));
    const saved = await savedBy(page, () => dialog.getByRole("button", { name: "Download CSV" }).click());
    assert.deepEqual(saved, { name: "links.csv", text: expected });
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await names.inputValue(), "");
    await becomes(() => page.locator(".people tbody tr").count(), 3);
  }));

test("links of many people are not closed by mistake", () =>
  onPeople(async ({ page }) => {
    await page.getByText("Invite many people at once").click();
    await page.getByLabel("Names").fill("Ann\nBen");
    await page.getByRole("button", { name: "Create personal links" }).click();
    const dialog = page.getByRole("dialog", { name: "Personal links" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByText("You have neither copied nor saved the links.").waitFor();
    await dialog.getByRole("button", { name: "Close without the links" }).click();
    await dialog.waitFor({ state: "detached" });
    // The same list again: nobody gets a second link.
    await page.getByLabel("Names").fill("Ann\nBen");
    await page.getByRole("button", { name: "Create personal links" }).click();
    await dialog.getByText("2 people are already invited and get no new link.").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Copy all as CSV" }).count(), 0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }));

test("if the server is lost, the list stays in the field", () =>
  onPeople(async ({ page, server }) => {
    await page.getByText("Invite many people at once").click();
    await page.getByLabel("Names").fill("Ann");
    server.offline = true;
    await page.getByRole("button", { name: "Create personal links" }).click();
    await page.getByText("These people may have been invited already").waitFor();
    assert.equal(await page.getByLabel("Names").inputValue(), "Ann");
    server.offline = false;
    await page.getByRole("button", { name: "Create personal links" }).click();
    await page.getByRole("dialog").getByText("One new link.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close without the links" }).click();
    // Only the replies get lost; browsers may repeat the request.
    await page.getByLabel("Names").fill("Ben");
    server.losingReplies = 9;
    await page.getByRole("button", { name: "Create personal links" }).click();
    await page.getByText("create new links for those who are").waitFor();
    server.losingReplies = 0;
    await page.getByRole("button", { name: "Create personal links" }).click();
    await page.getByRole("dialog").getByText("One person is already invited").waitFor();
  }));

test("each row says whether the link is used, and how many devices are signed in", () => {
  const state = new State(4);
  for (const name of ["open", "expired", "one", "two and link", "out", "gone"]) state.invite(name, true);
  const [, expired, one, two, out, gone] = state.people;
  expired!.link = "expired";
  for (const who of [one!, out!]) who.link = "used";
  one!.sessions.add("a");
  for (const device of ["b", "c"]) two!.sessions.add(device);
  state.remove(gone!, "keep");
  return onPeople(async ({ page }) => {
    await becomes(
      () => page.locator(".access").allInnerTexts(),
      ["link not used", "link expired", "one device", "2 devices, link open", "signed out", ""],
    );
    await page.getByText("former annotator 6").waitFor();
    assert.equal(await page.getByRole("button", { name: "Change: former annotator 6" }).count(), 0);
    await becomes(() => page.locator(".badge").allInnerTexts(), ["removed"]);
  }, state);
});

test("a new link is for another device, or signs out all devices", () => {
  const state = disputed();
  const anna = state.people[0]!;
  anna.link = "used";
  for (const device of ["phone", "laptop"]) anna.sessions.add(device);
  return onPeople(async ({ page, server }) => {
    const field = page.getByRole("dialog", { name: "Personal link" }).getByRole("textbox");
    await choose(page, "Anna", "New link");
    const dialog = page.getByRole("dialog", { name: "Create a new link for Anna?" });
    await dialog.getByText("Now 2 devices are signed in.").waitFor();
    assert.ok(await dialog.getByLabel("For another device").isChecked());
    await dialog.getByRole("button", { name: "New link" }).click();
    await becomes(() => field.inputValue(), `${server.url}/join#link-1-2`);
    assert.equal(anna.sessions.size, 2);
    await page.keyboard.press("Escape");
    await choose(page, "Anna", "New link");
    await dialog.getByText("The link from before becomes invalid.").waitFor();
    await dialog.getByLabel("Sign out all devices").check();
    await dialog.getByRole("button", { name: "New link" }).click();
    await becomes(() => field.inputValue(), `${server.url}/join#link-1-3`);
    assert.equal(anna.sessions.size, 0);
    await page.keyboard.press("Escape");
    await choose(page, "Anna", "New link");
    await dialog.getByText("No device is signed in.").waitFor();
    assert.equal(await dialog.getByRole("radio").count(), 0);
  }, state);
});

test("renaming checks the name, and shows why the server refuses it", () => {
  const state = disputed();
  return onPeople(async ({ page, server }) => {
    await choose(page, "Anna", "Rename");
    const dialog = page.getByRole("dialog", { name: "Rename Anna" });
    const field = dialog.getByLabel("New name");
    assert.equal(await field.inputValue(), "Anna");
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    await field.fill(" ");
    await page.keyboard.press("Enter");
    await dialog.getByText("Enter a name.").waitFor();
    server.proxy = (request) =>
      request.endsWith("/name") ? { status: 409, body: '{"error": "Chidi is already invited"}' } : null;
    await field.fill("chidi");
    await page.keyboard.press("Enter");
    await dialog.getByText("Chidi is already invited.").waitFor();
    server.proxy = () => null;
    await field.fill(` ${NASTY.unicode} `);
    await dialog.getByRole("button", { name: "Rename" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(state.people[0]!.person.name, NASTY.unicode);
    await page.getByRole("button", { name: `Change: ${NASTY.unicode}` }).waitFor();
    await choose(page, "Chidi", "Rename");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(state.people[2]!.person.name, "Chidi");
  }, state);
});

test("removing a person keeps the answers, unless the leader types that they are to be deleted", () => {
  const state = disputed();
  return onPeople(async ({ page }) => {
    await choose(page, "Anna", "Remove");
    const dialog = page.getByRole("dialog", { name: "Remove Anna?" });
    await dialog.getByText("They have given 4 answers.").waitFor();
    assert.ok(await dialog.getByLabel("Keep the answers").isChecked());
    await dialog.getByText("under the name “former annotator 1”").waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("former annotator 1").waitFor();
    assert.equal(state.people.length, 3);
    assert.equal(state.people[2]!.answers.size, 4);

    await choose(page, "Chidi", "Remove");
    const other = page.getByRole("dialog", { name: "Remove Chidi?" });
    await other.getByLabel("Delete the answers, too").check();
    await other.getByText("are lost for ever").waitFor();
    const remove = other.getByRole("button", { name: "Delete for ever" });
    assert.ok(await remove.isDisabled());
    await other.getByLabel("Type “delete” to confirm").fill("delet");
    assert.ok(await remove.isDisabled());
    await other.getByLabel("Type “delete” to confirm").fill("Delete");
    await remove.click();
    await other.waitFor({ state: "detached" });
    assert.equal(state.people.length, 2);
    await becomes(() => page.locator(".people tbody tr").count(), 2);
  }, state);
});

test("if a change fails, the dialog says so and stays", () => {
  const state = disputed();
  return onPeople(async ({ page, server }) => {
    await choose(page, "Anna", "Remove");
    server.offline = true;
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await becomes(
      () => dialog.getByRole("alert").innerText(),
      "The server is not reachable. Check your connection and try again.",
    );
    server.offline = false;
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("former annotator 1").waitFor();
  }, state);
});

test("of an excluded person, nothing can be kept", () => {
  const state = disputed();
  state.people[0]!.person.state = "excluded";
  return onPeople(async ({ page }) => {
    await choose(page, "Anna", "Remove");
    const dialog = page.getByRole("dialog", { name: "Remove Anna?" });
    await dialog.getByText("To keep the answers, include the person again first.").waitFor();
    assert.equal(await dialog.getByRole("radio").count(), 0);
    assert.ok(await dialog.getByRole("button", { name: "Delete for ever" }).isDisabled());
    await dialog.getByLabel("Type “delete” to confirm").fill("delete");
    await dialog.getByRole("button", { name: "Delete for ever" }).click();
    await becomes(async () => state.people.map(({ person }) => person.name), [NASTY.script, "Chidi"]);
  }, state);
});
