// SPDX-License-Identifier: MIT
//
// What the leader wrote for annotators: instructions in Markdown, and definitions of verbs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";

import { annotating, chosen, showsClip } from "./annotation_workspace";
import { PHONE } from "./annotation_page";
import { State } from "./annotation_state";
import { NASTY } from "./names";
import { inFirefox } from "./browsers";
import { becomes } from "./page";

/** A newcomer's page with these instructions. */
function reading(instructions: string, act: (page: Page) => Promise<void>): Promise<void> {
  const state = new State(2);
  state.guide.instructions = instructions;
  return annotating(state, { practised: false }, async ({ page }) => {
    await page.getByRole("button", { name: "Start the practice round" }).waitFor();
    await act(page);
  });
}

const html = (page: Page) => page.locator(".markdown").innerHTML();

test("the instructions are the leader's, before the practice and in the help", () => {
  const state = new State(2);
  state.guide.instructions = "# Sawing\n\nChoose *all* verbs.";
  return annotating(state, { practised: false }, async ({ page }) => {
    await page.getByRole("heading", { name: "Sawing" }).waitFor();
    await page.getByRole("button", { name: "Start the practice round" }).click();
    await page.getByRole("button", { name: "Help" }).click();
    const help = page.getByRole("dialog", { name: "Instructions" });
    await help.getByRole("heading", { name: "Sawing" }).waitFor();
    assert.equal(await help.locator("em").innerText(), "all");
  });
});

test("headings, lists, emphasis, code and links to https are formatted", () =>
  reading(
    [
      "# One\n## Two\ntext  \nnext",
      "1. a\n2. **b**\n   - c",
      "`d < e` and *f*",
      "```\ng\n```",
      "[h](https://example.org/i?j=1&k=2)",
    ].join("\n\n"),
    async (page) => {
      assert.equal(
        await html(page),
        "<h3>One</h3><h4>Two</h4><p>text<br>next</p>" +
          '<ol start="1"><li><p>a</p></li><li><p><strong>b</strong></p><ul><li><p>c</p></li></ul></li></ol>' +
          "<p><code>d &lt; e</code> and <em>f</em></p><pre><code>g</code></pre>" +
          '<p><a href="https://example.org/i?j=1&amp;k=2" target="_blank" rel="noopener noreferrer">h</a></p>',
      );
    },
  ));

const HOSTILE = [
  NASTY.script,
  "<iframe src=https://example.org></iframe>",
  "<style>* { display: none }</style>",
  '<a href="javascript:window.hacked = 4">a</a>',
  "[b](javascript:window.hacked=5)",
  "[c](JaVaScRiPt:window.hacked=5)",
  "[d](&#106;avascript:window.hacked=5)",
  "[e](data:text/html,<script>parent.hacked=6</script>)",
  "[f](http://example.org)",
  "[g](//example.org)",
  "[h](https:javascript:1)",
  "<javascript:window.hacked=7>",
  "![i](https://example.org/i.png)",
  "[![j](https://example.org/j.png)](javascript:window.hacked=8)",
  "[k][l]\n\n[l]: javascript:window.hacked=9",
  '[m](https://example.org "\\" onmouseover=window.hacked=10 x=\\"")',
  "> quoted <b onclick=window.hacked=11>bold</b>",
];

test("hostile instructions are shown as they are written, and do nothing", () =>
  reading(HOSTILE.join("\n\n"), async (page) => {
    const markdown = page.locator(".markdown");
    const tags = await markdown.evaluate((element) => [
      ...new Set([...element.querySelectorAll("*")].map(({ localName }) => localName)),
    ]);
    assert.deepEqual(tags, ["p", "a"]);
    const attributes = await markdown.evaluate((element) =>
      [...element.querySelectorAll("*")].flatMap((each) => [...each.attributes].map(({ name }) => name)),
    );
    assert.deepEqual([...new Set(attributes)], ["href", "target", "rel"]);
    const links = await markdown
      .locator("a")
      .evaluateAll((found) => found.map((link) => [link.textContent, link.getAttribute("href")]));
    assert.deepEqual(links, [["m", "https://example.org"]]);
    const text = await markdown.innerText();
    for (const written of ["<script>", "[b](javascript:", "![i](https:", "> quoted <b"])
      assert.ok(text.includes(written), written);
    for (const paragraph of await markdown.locator("p").all())
      await paragraph.click({ position: { x: 1, y: 1 } });
    assert.equal(await page.evaluate(() => (window as { hacked?: unknown }).hacked), undefined);
  }));

test("deep, unclosed and long instructions are shown", async () => {
  for (const text of ["- ".repeat(2000) + "end", "*_[".repeat(3000) + "end", "a".repeat(30_000) + "end"])
    await reading(text, async (page) => {
      assert.match(await page.locator(".markdown").innerText(), /end\s*$/);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });
});

/** The first verb of the first clip has a definition, the second has none, the third a nasty one. */
function definedState(): State {
  const state = new State(3);
  state.guide.definitions = [
    { class: 1, definition: "Remove the skin." },
    { class: 3, definition: NASTY.script },
  ];
  return state;
}

test("a verb has its definition as tooltip and as description for screen readers", () =>
  annotating(definedState(), {}, async ({ page }) => {
    await showsClip(page, 1);
    const verbs = page.locator(".verbs .verb");
    assert.equal(await verbs.nth(0).getAttribute("title"), "Remove the skin.");
    assert.equal(await verbs.nth(1).getAttribute("title"), null);
    assert.equal(await verbs.nth(1).getAttribute("aria-describedby"), null);
    for (const [name, description] of [
      ["peel", "Remove the skin."],
      ["open", NASTY.script],
    ] as const)
      assert.equal(await page.getByRole("button", { name, description, exact: true }).count(), 1);
    if (inFirefox) return; // It does not show its accessibility tree.
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const button = nodes.find(({ role, name }) => role?.value === "button" && name?.value === "peel");
    assert.equal(button?.description?.value, "Remove the skin.");
    const nasty = nodes.find(({ role, name }) => role?.value === "button" && name?.value === "open");
    assert.equal(nasty?.description?.value, NASTY.script);
  }));

test("on a phone the definitions of a clip's verbs can be opened, and stay open", () =>
  annotating(definedState(), PHONE, async ({ page }) => {
    await showsClip(page, 1);
    const peel = page.locator(".definitions").getByText("Remove the skin.");
    assert.equal(await peel.isVisible(), false);
    await page.getByText("What the verbs mean").tap();
    await peel.waitFor();
    assert.deepEqual(await page.locator(".definitions dt").allInnerTexts(), ["peel", "open"]);
    assert.deepEqual(await chosen(page), []);
    await page.locator(".verb").first().tap();
    await page.getByRole("button", { name: "Send" }).tap();
    await showsClip(page, 2);
    await peel.waitFor();
  }));

test("the keyboard opens the definitions, and shortcuts still work", () =>
  annotating(definedState(), {}, async ({ page }) => {
    await showsClip(page, 1);
    await page.locator(".definitions summary").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Remove the skin.").waitFor();
    await page.keyboard.press("1");
    await becomes(() => chosen(page), ["peel"]);
  }));

test("without definitions there is nothing to open", () =>
  annotating(new State(1), {}, async ({ page }) => {
    await showsClip(page, 1);
    assert.equal(await page.locator(".definitions").count(), 0);
  }));
