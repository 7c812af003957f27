// SPDX-License-Identifier: MIT
//
// The program itself with a small project, and what leaders and annotators do with it in their browsers.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";

import { CLIP } from "./annotation_clip";
import { plays } from "./annotation_page";
import { becomes } from "./page";
import { generator } from "./random";

const PROGRAM = process.env.MANYVERBS!;
const VERBS = ["cut", "peel", "wash", "open", "close", "take", "put", "pour", "stir", "mix", "turn", "dry"];

/** A float32 matrix in NumPy format. */
function npy(rows: number, columns: number, value: () => number): Buffer {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const header = Buffer.alloc(128, " ");
  header.write("\x93NUMPY\x01\x00", "latin1");
  header.writeUInt16LE(118, 8);
  header.write(shape, 10);
  header.write("\n", 127);
  return Buffer.concat([header, Buffer.from(Float32Array.from({ length: rows * columns }, value).buffer)]);
}

/** Runs the program in a folder of its own. */
export class Program {
  readonly folder = mkdtempSync(pathOf(tmpdir(), "manyverbs-annotation-"));
  private readonly servers: ChildProcess[] = [];

  run(...words: string[]): string {
    return execFileSync(PROGRAM, words, {
      cwd: this.folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** A data set of one video with random features and `clips` test clips, and a model. */
  makeDataset(clips: number): void {
    mkdirSync(pathOf(this.folder, "videos"));
    const splits = [
      ...Array(36).fill("train"),
      ...Array(6).fill("val"),
      ...Array(clips).fill("test"),
    ] as string[];
    const rows = splits.map((split, at) => `clip${at},${split},${VERBS[at % VERBS.length]},videos/${at}.mp4`);
    splits.forEach((_, at) => writeFileSync(pathOf(this.folder, "videos", `${at}.mp4`), CLIP));
    writeFileSync(pathOf(this.folder, "clips.csv"), ["clip,split,labels,video", ...rows, ""].join("\n"));
    const classes = VERBS.map((verb, at) => `${at},${verb}`);
    writeFileSync(pathOf(this.folder, "classes.csv"), ["id,name", ...classes, ""].join("\n"));
    writeFileSync(pathOf(this.folder, "x.npy"), npy(splits.length, 8, generator(5).normal));
    this.run(
      ...["import", "arrays", "--clips", "clips.csv", "--classes", "classes.csv", "--features", "x.npy"],
      ...["--out", "kitchen", "--quiet"],
    );
    this.run("train", "kitchen", "--hidden", "8", "--epochs", "1", "--out", "run", "--quiet");
  }

  /** A project of all test clips. */
  prepare(project: string, ...options: string[]): void {
    const what = ["kitchen", "--run", "run", "--choose", "all", "--out", project, "--quiet"];
    this.run("annotate", "prepare", ...what, ...options);
  }

  /** Starts a server; `address` is the URL that it prints, with the token at the first start. */
  async serve(
    project: string,
    port: string,
    ...options: string[]
  ): Promise<{ address: string; server: ChildProcess }> {
    const server = spawn(PROGRAM, ["annotate", "serve", project, "--port", port, ...options], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.servers.push(server);
    for await (const line of createInterface({ input: server.stdout })) {
      const [address] = line.match(/https?:\S+\/lead\S*/) ?? [];
      if (address) return { address, server };
    }
    throw new Error("the server ended before it said where it is");
  }

  /** Ends the servers and removes the folder. */
  remove(): void {
    for (const server of this.servers) server.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Sets the name and the password of the first leader. */
export async function setPassword(leader: Page): Promise<void> {
  await leader.getByLabel("Name").fill("Lena");
  await leader.getByLabel("Password", { exact: true }).fill("a long password");
  await leader.getByLabel("Repeat the password").fill("a long password");
  await leader.keyboard.press("Enter");
}

/** Invites a person on the page "People"; returns the personal link. */
export async function invite(leader: Page, name: string): Promise<string> {
  await leader.getByLabel("Name", { exact: true }).fill(name);
  await leader.keyboard.press("Enter");
  const dialog = leader.getByRole("dialog", { name: "Personal link" });
  const link = await dialog.getByRole("textbox").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  return link;
}

export const title = (page: Page) => page.locator("h1").innerText();

export async function practise(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "How to choose" }).waitFor();
  await page.getByRole("button", { name: "Start the practice round" }).click();
  for (let clip = 1; clip <= 3; clip++) {
    await becomes(() => title(page), `Practice ${clip} of 3`);
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator(".feedback").waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press("Enter");
  }
  await page.locator(".progress").waitFor();
}
