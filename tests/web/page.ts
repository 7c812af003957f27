// SPDX-License-Identifier: MIT
//
// Opens reports from disk, the way a user does, and records errors.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Page } from "playwright-core";

import type { Report } from "../../web/src/report/data";

export interface Opened {
  page: Page;
  /** Console errors, exceptions and requests to a host; empty without errors. */
  complaints: string[];
}

/** One second of silence: a video element plays it, so tests need no video file. */
function silence(): Buffer {
  const rate = 8000;
  const wav = Buffer.alloc(44 + rate, 128);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(36 + rate, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(rate, 40);
  return wav;
}

const folders: string[] = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Writes the report as the program does: the built page with the JSON in place of its marker. */
export function reportFile(report: Report): string {
  const page = readFileSync(process.env.REPORT_PAGE!, "utf8");
  const [before, after, ...rest] = page.split("REPORT_DATA");
  if (after === undefined || rest.length) throw new Error("the page must hold the word REPORT_DATA once");
  const folder = mkdtempSync(join(tmpdir(), "manyverbs-report-"));
  folders.push(folder);
  writeFileSync(join(folder, "clip #1 50%.wav"), silence());
  const file = join(folder, "report.html");
  writeFileSync(file, before + JSON.stringify(report).replace(/</g, "\\u003c") + after);
  return file;
}

export interface Look {
  width: number;
  theme: "light" | "dark";
}

/** Waits until the value equals the expected one: browsers handle some keys asynchronously. */
export async function becomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isDeepStrictEqual(value, expected) || Date.now() > deadline) return assert.deepEqual(value, expected);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function open(browser: Browser, file: string, look: Look): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.theme,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  // Long timeouts for busy machines.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.stack}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("main");
  return { page, complaints };
}
