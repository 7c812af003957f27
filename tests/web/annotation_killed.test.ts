// SPDX-License-Identifier: MIT
//
// The browser is killed, as when the battery is empty, and started again with the same profile: no answer
// is lost that it has shown as saved or stored.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";

import { joinAgain, loadedAhead, plays, visitIn } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { State, type Annotator } from "./annotation_state";
import { launchWithProfile } from "./browsers";
import { becomes } from "./page";

interface Case {
  server: FakeServer;
  who: Annotator;
  page: Page;
  /** Kills the browser. */
  end: () => Promise<void>;
  /** Starts the browser again and signs in with a new link: it may have lost the cookie. */
  open: () => Promise<Page>;
}

/** Kills all processes of the browser at once, so that none of them can clean up. */
function kill(profile: string): void {
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, "utf8");
      if (command.includes(profile)) process.kill(Number(entry), "SIGKILL");
    } catch {
      // It has ended already.
    }
}

async function survives(act: (given: Case) => Promise<void>): Promise<void> {
  const server = new FakeServer(new State(5));
  await server.start();
  const who = server.state.invite("Anna", true);
  const profile = mkdtempSync(pathOf(tmpdir(), "manyverbs-profile-"));
  let browser: BrowserContext | null = null;
  const open = async () => {
    browser = await launchWithProfile(profile);
    const { page } = await visitIn(browser, `${server.url}/annotate`);
    await joinAgain(page, server, who);
    return page;
  };
  const end = async () => {
    const ended = browser && new Promise((resolve) => browser!.once("close", resolve));
    browser = null;
    kill(profile);
    await ended;
  };
  try {
    const page = await open();
    await showsClip(page, 1);
    await act({ server, who, page, end, open });
  } finally {
    await end();
    await server.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

const showsClip = (page: Page, number: number) =>
  becomes(() => page.locator("h1").innerText(), `Clip no. ${number}`);

test("a browser that is killed right after “Saved” loses nothing", () =>
  survives(async ({ server, who, page, end, open }) => {
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("✓ Saved").waitFor();
    await end();
    const reopened = await open();
    assert.deepEqual([...who.answers.keys()], [1]);
    await showsClip(reopened, 2);
    await becomes(() => reopened.locator(".progress").innerText(), "1 of 5");
    await reopened.keyboard.press("Backspace");
    await becomes(() => reopened.locator("h1").innerText(), "Earlier answer: clip no. 1");
    assert.deepEqual(
      server.arrived.map(({ task }) => task),
      [1],
    );
  }));

test("a killed browser sends its stored answers when it is opened again", () =>
  survives(async ({ server, who, page, end, open }) => {
    await loadedAhead(page);
    server.offline = true;
    for (const [key, words] of [
      ["1", "One answer is not saved yet. This browser stores unsaved answers"],
      ["2", "2 answers are not saved yet. This browser stores unsaved answers"],
    ] as const) {
      await plays(page);
      await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await page.getByText(words).waitFor();
    }
    await end();
    server.offline = false;
    const reopened = await open();
    await becomes(async () => [...who.answers.keys()], [1, 2]);
    assert.deepEqual(
      [...who.answers.values()].map(({ chosen }) => chosen),
      [[1], [3]],
    );
    await showsClip(reopened, 3);
    await reopened.getByText("✓ Saved").waitFor();
  }));
