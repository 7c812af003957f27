// SPDX-License-Identifier: MIT
//
// The leader's page with a fake server.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";

import { visit } from "./annotation_page";
import { FakeServer } from "./annotation_server";
import { answerWith, State } from "./annotation_state";
import { NASTY } from "./names";

export interface Case {
  page: Page;
  server: FakeServer;
  state: State;
}

export async function leading(
  browser: Browser,
  address: string,
  act: (given: Case) => Promise<void>,
  state = new State(4),
) {
  const server = new FakeServer(state);
  await server.start();
  const { page, complaints } = await visit(browser, server.url + address);
  try {
    await act({ page, server, state });
    assert.deepEqual(complaints, []);
  } finally {
    await page.context().close();
    await server.stop();
  }
}

/** A signed-in page at one of the views. */
export function signedIn(
  browser: Browser,
  view: string,
  act: (given: Case) => Promise<void>,
  state = new State(4),
): Promise<void> {
  state.leaders.add("Lena", "open sesame");
  return leading(
    browser,
    `/lead#${view}`,
    async (given) => {
      await given.page.getByLabel("Name").fill("Lena");
      await given.page.getByLabel("Password").fill("open sesame");
      await given.page.keyboard.press("Enter");
      await given.page.getByRole("navigation", { name: "Views" }).waitFor();
      await act(given);
    },
    state,
  );
}

/** Chooses what to do with a person on the page "People". */
export async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Change: ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: action }).click();
}

/** Three people with different answers to every clip. */
export function disputed(clips = 4): State {
  const state = new State(clips);
  for (const [at, name] of ["Anna", NASTY.script, "Chidi"].entries()) {
    const who = state.invite(name, true);
    for (let task = 1; task <= clips; task++)
      who.answers.set(
        task,
        answerWith(at === 2 ? [] : [0, at + 1], {
          confident: at === 0,
          nothing: at === 2,
          milliseconds: 4000,
        }),
      );
    who.person.answers = clips;
  }
  return state;
}
