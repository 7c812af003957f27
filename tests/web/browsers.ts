// SPDX-License-Identifier: MIT
//
// Debian's Chromium, or Debian's Firefox if the environment names its program: one set of tests for both.
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Page,
} from "playwright-core";

export const inFirefox = Boolean(process.env.FIREFOX);

const CHROMIUM: LaunchOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

const FIREFOX: LaunchOptions = {
  executablePath: process.env.FIREFOX,
  // Playwright drives an unpatched Firefox by WebDriver BiDi.
  channel: "moz-firefox",
  firefoxUserPrefs: {
    // Tests may read what a page has copied.
    "dom.events.testing.asyncClipboard": true,
    // No requests to Mozilla.
    "services.settings.server": "http://127.0.0.1:9",
  },
};

export function launch(): Promise<Browser> {
  return inFirefox ? firefox.launch(FIREFOX) : chromium.launch(CHROMIUM);
}

/** A browser that keeps its profile in a folder. */
export function launchWithProfile(folder: string): Promise<BrowserContext> {
  return inFirefox
    ? firefox.launchPersistentContext(folder, FIREFOX)
    : chromium.launchPersistentContext(folder, CHROMIUM);
}

/** What Playwright cannot emulate in Firefox, as preferences of the whole browser. */
function preferences({ colorScheme, reducedMotion, hasTouch }: BrowserContextOptions) {
  return {
    ...(colorScheme && {
      "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1,
    }),
    ...(reducedMotion === "reduce" && { "ui.prefersReducedMotion": 1 }),
    ...(hasTouch && { "ui.primaryPointerCapabilities": 1, "ui.allPointerCapabilities": 1 }),
  };
}

/** A context of the browser, or of another one that ends with it if only preferences give the options. */
export async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const needed = preferences(options);
  if (!inFirefox || Object.keys(needed).length === 0) return browser.newContext(options);
  const firefoxUserPrefs = { ...FIREFOX.firefoxUserPrefs, ...needed };
  const own = await firefox.launch({ ...FIREFOX, firefoxUserPrefs });
  const context = await own.newContext(options);
  context.once("close", () => void own.close());
  return context;
}

/** Playwright sends no touches to an unpatched Firefox: its taps become clicks. */
export function clickForTap(page: Page): void {
  if (!inFirefox) return;
  const locator = Object.getPrototypeOf(page.locator("main"));
  locator.tap = locator.click;
}
