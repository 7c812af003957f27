// SPDX-License-Identifier: MIT
//
// The leader edits what annotators read, and downloads the result.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";

import { signedIn } from "./annotation_leading";
import { launch } from "./browsers";
import { NASTY } from "./names";
import { becomes } from "./page";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("instructions are edited with a preview, and saved", () =>
  signedIn(browser, "texts", async ({ page, state }) => {
    const field = page.getByLabel("Instructions", { exact: true });
    const save = page.getByRole("button", { name: "Save instructions.md" });
    assert.equal(await field.inputValue(), state.guide.instructions);
    assert.ok(await save.isDisabled(), "nothing to save");
    await field.fill(`# Sawing\n\n- **Watch**\n\n${NASTY.script}`);
    const preview = page.getByRole("region", { name: "Preview: Instructions" });
    await preview.getByRole("heading", { name: "Sawing" }).waitFor();
    await preview.getByText(NASTY.script).waitFor();
    assert.ok(!state.texts.has("instructions.md"), "a preview is not saved");
    await save.click();
    await page.getByText("✓ Saved. Annotators see it").waitFor();
    assert.ok(state.texts.get("instructions.md")!.startsWith("# Sawing"));
    await becomes(() => save.isDisabled(), true);
    assert.equal(await page.evaluate(() => "hacked" in window), false);
  }));

test("an invalid definition is shown with its line and not saved", () =>
  signedIn(browser, "texts", async ({ page, state }) => {
    const field = page.getByLabel("Definitions of verbs", { exact: true });
    assert.equal(await field.inputValue(), "class,definition\n");
    await field.fill("class,definition\ncut,with a knife\nbad,x\n");
    await page.getByText("Definitions.csv:3: 'bad' is not a class of the project.").waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    await page.getByRole("button", { name: "Save definitions.csv" }).click();
    await page.getByText("Definitions.csv:3").waitFor();
    assert.ok(!state.texts.has("definitions.csv"));
    await field.fill("class,definition\ncut,with a knife\n");
    await page.getByRole("region", { name: "Preview: Definitions" }).getByText("with a knife").waitFor();
    await page.getByRole("button", { name: "Save definitions.csv" }).click();
    await becomes(async () => state.texts.get("definitions.csv"), "class,definition\ncut,with a knife\n");
  }));

test("a text that somebody else has changed is not overwritten", () =>
  signedIn(browser, "texts", async ({ page, state }) => {
    await page.getByLabel("Instructions", { exact: true }).fill("# Mine");
    state.texts.set("instructions.md", "# Theirs");
    await page.getByRole("button", { name: "Save instructions.md" }).click();
    await page.getByText("Somebody else has changed instructions.md in the meantime").waitFor();
    assert.equal(state.texts.get("instructions.md"), "# Theirs");
    await page.getByRole("button", { name: "Discard changes" }).click();
  }));

test("texts of the page are replaced by key, beside the built-in ones", () =>
  signedIn(browser, "texts", async ({ page }) => {
    await page.getByText("All keys with their texts").click();
    await page.locator("details").getByText("answer.send").waitFor();
    await page.getByLabel("Texts of the page", { exact: true }).fill("key,text\nanswer.send,Go\n");
    await page.getByRole("region", { name: "Preview: Texts" }).getByText("instead of: Send").waitFor();
  }));

test("every format can be downloaded, with pseudonyms unless names are wanted", () =>
  signedIn(browser, "export", async ({ page }) => {
    const download = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name, exact: true }).click(),
      ]);
      return JSON.parse(readFileSync(await file.path(), "utf8")) as unknown;
    };
    assert.deepEqual(await download("All answers"), { format: "jsonl", pseudonyms: "1" });
    await page.getByLabel("Pseudonyms instead of names").uncheck();
    await page.getByLabel("Labels by the model of annotators").check();
    await page.getByLabel("Videos for Label Studio").fill("https://x/");
    assert.deepEqual(await download("All answers"), { format: "jsonl" });
    assert.deepEqual(await download("Labels as CSV"), { format: "spmv", rule: "model" });
    assert.deepEqual(await download("Label Studio"), { format: "label-studio", videos: "https://x/" });
    assert.deepEqual(await download("CVAT"), { format: "cvat", rule: "model" });
    assert.deepEqual(await download("Data set"), { format: "dataset", rule: "model" });
    assert.deepEqual(await download("Probabilities as CSV"), { format: "posteriors" });
  }));
