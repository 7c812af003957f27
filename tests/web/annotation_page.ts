// SPDX-License-Identifier: MIT
//
// Opens the annotation pages in a browser, and records errors.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

import type { FakeServer } from "./annotation_server";
import type { Annotator } from "./annotation_state";
import { clickForTap, newContext } from "./browsers";

export interface Visit {
  page: Page;
  /** Console errors, exceptions and requests to another host; empty without errors. */
  complaints: string[];
}

export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
};

export async function visit(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  return visitIn(await newContext(browser, { viewport: { width: 1280, height: 720 }, ...options }), address);
}

/** The same in a browser with persistent storage. */
export async function visitIn(context: BrowserContext, address: string): Promise<Visit> {
  const page = await context.newPage();
  clickForTap(page);
  // Long timeouts for busy machines.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    // The browser logs failed requests, which the tests cause on purpose.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text()))
      complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.stack}`));
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(address).host) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForSelector("main");
  return { page, complaints };
}

/** Waits until the clip plays and can be answered. */
export function plays(page: Page): Promise<void> {
  return page.locator(".verbs .verb:not([aria-disabled])").first().waitFor();
}

/** Waits until the next clip is loaded and can be answered without a server. */
export async function loadedAhead(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (document.querySelector<HTMLVideoElement>("video.ahead")?.readyState ?? 0) >= 4,
  );
}

/** Opens an annotator's personal link in a browser that knows nobody, and signs in. */
export async function join(
  browser: Browser,
  server: FakeServer,
  who: Annotator,
  options?: BrowserContextOptions,
): Promise<Visit> {
  const visited = await visit(browser, server.link(who), options);
  await signIn(visited.page);
  return visited;
}

/** Signs in with the personal link that the page was opened by. */
export async function signIn(page: Page): Promise<void> {
  const button = page.locator(".notice .primary");
  await button.click();
  await button.waitFor({ state: "detached" });
}

/** Signs in with a new personal link, also if somebody else is signed in. */
export async function joinAgain(page: Page, server: FakeServer, who: Annotator): Promise<void> {
  await page.goto(server.link(server.state.newLink(who)));
  // The last button uses the link.
  await page.locator(".notice button").last().click();
  await page.locator(".notice").waitFor({ state: "detached" });
}
