// SPDX-License-Identifier: MIT
//
// The annotator's page, opened by a personal link.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";

import { PHONE, visit } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { State, type Annotator } from "./annotation_state";
import { launch } from "./browsers";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

export interface Case {
  page: Page;
  server: FakeServer;
  state: State;
  who: Annotator;
  /** Opens the newest link of the person in the same browser. */
  open: () => Promise<unknown>;
}

/** A page that was opened by the personal link of Anna, or by the address. */
export async function opened(
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

export const shows = (page: Page, title: string) => becomes(() => page.locator("h1").innerText(), title);
export const headerName = (page: Page) => page.locator("header .who").innerText();
