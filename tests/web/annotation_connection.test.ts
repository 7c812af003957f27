// SPDX-License-Identifier: MIT
//
// No answer is lost or counted twice if the connection, the server or the page fails, and “Saved” is shown
// only after the server has confirmed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { CLIP } from "./annotation_clip";
import { join, joinAgain, loadedAhead, plays, signIn, visitIn } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { HttpError } from "./annotation_error";
import { answerWith, State, type Annotator } from "./annotation_state";
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
  who: Annotator;
}

async function connected(clips: number, act: (given: Case) => Promise<void>): Promise<void> {
  const server = new FakeServer(new State(clips));
  await server.start();
  const who = server.state.invite("Anna", true);
  const { page, complaints } = await join(browser, server, who);
  page.on("dialog", (dialog) => void dialog.accept());
  try {
    await showsClip(page, 1);
    await act({ page, server, who });
    assert.deepEqual(complaints, []);
  } finally {
    await page.context().close();
    await server.stop();
  }
}

const showsClip = (page: Page, number: number) =>
  becomes(() => page.locator("h1").innerText(), `Clip no. ${number}`);
const saveState = (page: Page) => page.locator(".state").innerText();
/** The number of answers stored in the browser. */
const kept = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open("manyverbs");
        opening.onsuccess = () => {
          const counting = opening.result.transaction("answers").objectStore("answers").count();
          counting.onsuccess = () => resolve(counting.result);
          opening.result.close();
        };
      }),
  );
async function answer(page: Page): Promise<void> {
  await plays(page);
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
}

test("“Saved” is shown only after the server has confirmed", () =>
  connected(5, async ({ page, server, who }) => {
    const release = server.hold();
    await answer(page);
    await showsClip(page, 2);
    await becomes(() => saveState(page), "Saving…");
    assert.equal(who.answers.size, 0);
    await becomes(() => kept(page), 1);
    release();
    await becomes(() => saveState(page), "✓ Saved");
    assert.equal(who.answers.size, 1);
    await becomes(() => kept(page), 0);
  }));

test("without a server the page stores answers, shows that, and sends them later", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    await loadedAhead(page);
    server.offline = true;
    await answer(page);
    await page.getByText("One answer is not saved yet").waitFor();
    await becomes(() => saveState(page), "⚠ Not saved");
    // The preloaded clip can be answered in the meantime.
    await showsClip(page, 2);
    await answer(page);
    await page.getByText("2 answers are not saved yet").waitFor();
    await page.getByRole("heading", { name: "Waiting for the server" }).waitFor();
    await becomes(() => kept(page), 2);
    assert.equal(who.answers.size, 0);
    server.offline = false;
    await showsClip(page, 3);
    assert.deepEqual([...who.answers.keys()], [1, 2]);
    await becomes(() => saveState(page), "✓ Saved");
    await becomes(() => page.locator(".lost").count(), 0);
    await becomes(() => kept(page), 0);
  }));

test("“Try now” starts the next attempt at once", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    server.offline = true;
    await answer(page);
    // After the fourth failure the next attempt is seconds away.
    await page.getByText("Next attempt in 7 s").waitFor();
    server.offline = false;
    await page.getByRole("button", { name: "Try now" }).click();
    await becomes(async () => who.answers.size, 1);
    await becomes(() => page.locator(".lost").count(), 0);
  }));

test("an answer whose confirmation got lost is sent again and counts once", () =>
  connected(5, async ({ page, server, who }) => {
    server.losingReplies = 2;
    await answer(page);
    await becomes(() => saveState(page), "✓ Saved");
    assert.equal(server.arrived.length, 3);
    assert.deepEqual([...who.answers.keys()], [1]);
    await becomes(() => page.locator(".progress").innerText(), "1 of 5");
  }));

test("an unsent answer survives closing the page", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    server.offline = true;
    await answer(page);
    await page.locator(".lost").waitFor();
    server.offline = false;
    // The next request may be sent before the page is closed; the answer arrives in both cases.
    await page.reload();
    await becomes(async () => [...who.answers.keys()], [1]);
    await showsClip(page, 2);
    await becomes(() => kept(page), 0);
  }));

test("an invalid entry does not block the answers", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    server.offline = true;
    await answer(page);
    await page.locator(".lost").waitFor();
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const opening = indexedDB.open("manyverbs");
          opening.onsuccess = () => {
            const change = opening.result.transaction("answers", "readwrite");
            const entries = change.objectStore("answers");
            const all = entries.getAll();
            // Before and after the answer, in the order of keys and of times.
            all.onsuccess = () => {
              const [{ owner, given }] = all.result as [{ owner: string; given: number }];
              entries.put({ owner, task: 0, given: given - 1 });
              entries.put({ owner, task: "x", given: given + 1, answer: null });
            };
            change.oncomplete = () => resolve();
            opening.result.close();
          };
        }),
    );
    server.offline = false;
    await page.reload();
    await becomes(async () => [...who.answers.keys()], [1]);
    await showsClip(page, 2);
  }));

test("a browser without storage asks to keep the page open", async () => {
  const server = new FakeServer(new State(5));
  await server.start();
  const who = server.state.invite("Anna", true);
  const context = await browser.newContext();
  await context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("not in this window", "SecurityError");
    };
  });
  const { page, complaints } = await visitIn(context, server.link(who));
  try {
    await signIn(page);
    await showsClip(page, 1);
    await plays(page);
    server.offline = true;
    await answer(page);
    await page
      .getByText("One answer is not saved yet. Keep this page open until the server responds.")
      .waitFor();
    server.offline = false;
    await becomes(() => saveState(page), "✓ Saved");
    assert.deepEqual([...who.answers.keys()], [1]);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await server.stop();
  }
});

test("answers of another person in the same browser are not sent", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    server.offline = true;
    await answer(page);
    await page.locator(".lost").waitFor();
    await page.goto("about:blank");
    server.offline = false;
    const other = server.state.invite("Bo", true);
    await joinAgain(page, server, other);
    await showsClip(page, 1);
    await answer(page);
    await becomes(async () => other.answers.size, 1);
    assert.deepEqual(new Set(server.arrived.map(({ name }) => name)), new Set([other.person.name]));
    await becomes(() => kept(page), 1);
    await joinAgain(page, server, who);
    await becomes(async () => [...who.answers.keys()], [1]);
  }));

test("an answer that the server rejects does not block the others", () =>
  connected(5, async ({ page, who }) => {
    who.held = [];
    await answer(page);
    await page.getByText("An answer was rejected: Clip 1 went to somebody else.").waitFor();
    await becomes(() => kept(page), 0);
    await answer(page);
    await becomes(async () => who.answers.size, 1);
  }));

test("an answer rejected by a proxy is stored and sent again, with any status", () =>
  connected(20, async ({ page, server, who }) => {
    const html = "<html><title>Too Many Requests</title></html>";
    const replies: [number, string][] = [
      ...[200, 401, 403, 404, 408, 429].map((status): [number, string] => [status, html]),
      [400, '{"message": "not now"}'],
      [400, "null"],
    ];
    for (const [at, [status, body]] of replies.entries()) {
      await showsClip(page, at + 1);
      server.proxy = (request) => (request === "POST /api/annotator/answers" ? { status, body } : null);
      await answer(page);
      await page.getByText("One answer is not saved yet").waitFor();
      await becomes(() => kept(page), 1);
      server.proxy = () => null;
      await becomes(() => saveState(page), "✓ Saved");
      assert.equal(who.answers.size, at + 1);
    }
  }));

test("a report that a clip does not play is stored like an answer", () =>
  connected(5, async ({ page, server, who }) => {
    server.clip = (name) => (name === "3" ? Buffer.from("no video at all") : CLIP);
    await answer(page);
    await showsClip(page, 2);
    await answer(page);
    await page.getByText("The clip does not load.").waitFor();
    await becomes(() => saveState(page), "✓ Saved");
    server.offline = true;
    await page.getByRole("button", { name: "Skip this clip" }).click();
    await page.getByText("One answer is not saved yet").waitFor();
    await becomes(() => kept(page), 1);
    server.offline = false;
    await page.reload();
    await becomes(async () => [...who.reported], [3]);
    await showsClip(page, 4);
    await becomes(() => kept(page), 0);
    assert.deepEqual([...who.answers.keys()], [1, 2]);
  }));

test("a clip that was reassigned is replaced before it is answered", () =>
  connected(9, async ({ page, server, who }) => {
    await answer(page);
    await showsClip(page, 2);
    await plays(page);
    await loadedAhead(page);
    server.offline = true;
    await answer(page);
    await showsClip(page, 3);
    who.held = [2, 7, 8];
    server.offline = false;
    await showsClip(page, 7);
    await page.getByText("was assigned to somebody else. This is another one").waitFor();
  }));

test("going back waits for unsent answers, and shows a message if that fails", () =>
  connected(5, async ({ page, server }) => {
    const release = server.hold();
    await answer(page);
    await showsClip(page, 2);
    await page.keyboard.press("Backspace");
    assert.ok(!server.requests.includes("GET /api/annotator/answers"));
    release();
    await becomes(() => page.locator("h1").innerText(), "Earlier answer: clip no. 1");
    await page.keyboard.press("Escape");
    await showsClip(page, 2);
    server.offline = true;
    await page.keyboard.press("Backspace");
    await page.getByText("Earlier answers need a connection to the server. Try again later.").waitFor();
  }));

test("a clip that does not load can be loaded again", () =>
  connected(5, async ({ page, server }) => {
    server.clip = (name) => {
      if (name === "3") throw new HttpError(503, "busy");
      return CLIP;
    };
    await answer(page);
    await showsClip(page, 2);
    await answer(page);
    await showsClip(page, 3);
    await page.getByText("The clip does not load.").waitFor();
    server.clip = () => CLIP;
    await page.getByRole("button", { name: "Load again" }).click();
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
    await becomes(() => page.locator(".over").count(), 0);
  }));

/** Replaces the cookie of the browser, as when another window signs in with another personal link. */
async function becomesSomebodyElses(page: Page, server: FakeServer): Promise<Annotator> {
  const other = server.state.invite("Bo", true);
  const window = await page.context().newPage();
  await joinAgain(window, server, other);
  await showsClip(window, 1);
  return other;
}

test("after another link was used, a page sends nothing under the wrong name", () =>
  connected(5, async ({ page, server, who }) => {
    await answer(page);
    await becomes(() => saveState(page), "✓ Saved");
    // The windows are side by side, so none is hidden.
    const other = await becomesSomebodyElses(page, server);
    other.held.push(2, 3);
    await answer(page);
    await page.getByText("another personal link was used in this browser").waitFor();
    await page.getByText("One answer is not saved yet. This browser has stored your answers").waitFor();
    await becomes(() => saveState(page), "⚠ Not saved");
    assert.equal(other.answers.size, 0);
    await becomes(() => kept(page), 1);
    await joinAgain(page, server, who);
    await becomes(async () => [...who.answers.keys()], [1, 2]);
    await becomes(() => kept(page), 0);
  }));

test("a rejection after a lost connection stops further attempts", () =>
  connected(5, async ({ page, server, who }) => {
    await plays(page);
    server.offline = true;
    await answer(page);
    await page.locator(".lost").waitFor();
    who.person.state = "excluded";
    server.offline = false;
    await page.getByText("You no longer take part in this project. Thank you for your help.").waitFor();
    await becomes(() => page.locator(".lost").count(), 0);
    await becomes(() => saveState(page), "⚠ Not saved");
  }));

test("nobody can see the answers of another person, or practise in their name", () =>
  connected(5, async ({ page, server }) => {
    const other = await becomesSomebodyElses(page, server);
    other.answers.set(4, answerWith([1]));
    await page.keyboard.press("Backspace");
    await page.getByText("another personal link was used in this browser").waitFor();

    const newcomer = server.state.invite("Chidi");
    await joinAgain(page, server, newcomer);
    await page.getByRole("button", { name: "Start the practice round" }).click();
    await becomes(() => page.locator("h1").innerText(), "Practice 1 of 2");
    other.practised = false;
    const window = await page.context().newPage();
    await joinAgain(window, server, other);
    await page.bringToFront();
    await answer(page);
    await page.getByText("another personal link was used in this browser").waitFor();
  }));
