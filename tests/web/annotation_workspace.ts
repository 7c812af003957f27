// SPDX-License-Identifier: MIT
//
// An annotator's page with its own server, for tests.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";

import { join, plays, type Visit } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import type { Annotator, State } from "./annotation_state";
import { launch } from "./browsers";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

export interface Case extends Visit {
  server: FakeServer;
  who: Annotator;
}

/** Runs a test with its own server, annotator and page, and expects no errors. */
export async function annotating(
  state: State,
  options: Parameters<typeof join>[3] & { practised?: boolean },
  act: (given: Case) => Promise<void>,
): Promise<void> {
  const server = new FakeServer(state);
  await server.start();
  const { practised = true, ...context } = options;
  const who = state.invite("Anna", practised);
  const { page, complaints } = await join(browser, server, who, context);
  try {
    await act({ server, who, page, complaints });
    assert.deepEqual(complaints, []);
  } finally {
    await page.context().close();
    await server.stop();
  }
}

export const title = (page: Page) => page.locator("h1").innerText();
export const chosen = (page: Page) => page.locator('.verb[aria-pressed="true"] bdi').allInnerTexts();
export async function showsClip(page: Page, number: number): Promise<void> {
  await becomes(() => title(page), `Clip no. ${number}`);
  await plays(page);
}
/** Time for which something must be shown before Enter has an effect. */
export const settle = (page: Page) => page.waitForTimeout(700);
