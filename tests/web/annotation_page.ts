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

/** Opens an annotator's personal link. */
export function join(
  browser: Browser,
  server: FakeServer,
  who: Annotator,
  options?: BrowserContextOptions,
): Promise<Visit> {
  return visit(browser, `${server.url}/join/${who.token}`, options);
}
