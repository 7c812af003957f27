// SPDX-License-Identifier: MIT
//
// Markdown of the leader: headings, paragraphs, lists, emphasis, code and links to https. Everything else, such
// as HTML and images, is shown as it is written. Elements are built one by one, so nothing in a text is executed
// or loaded.
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import type { ComponentChildren } from "preact";

const AS_WRITTEN = [
  "autolink",
  "blockQuote",
  "codeIndented",
  "definition",
  "htmlFlow",
  "htmlText",
  "thematicBreak",
];

/** Deeper lists are shown as they are written. */
const DEEPEST = 12;

/** The elements of a text. */
class Elements {
  constructor(private readonly source: string) {}

  of(node: Nodes, depth = 0): ComponentChildren {
    if (depth > DEEPEST) return this.written(node);
    const inside = () =>
      "children" in node ? node.children.map((child) => this.of(child, depth + 1)) : null;
    switch (node.type) {
      case "root":
        return inside();
      case "text":
        return node.value;
      case "break":
        return <br />;
      case "paragraph":
        return <p>{inside()}</p>;
      case "heading":
        return node.depth === 1 ? <h3>{inside()}</h3> : <h4>{inside()}</h4>;
      case "list":
        return node.ordered ? <ol start={node.start ?? 1}>{inside()}</ol> : <ul>{inside()}</ul>;
      case "listItem":
        return <li>{inside()}</li>;
      case "emphasis":
        return <em>{inside()}</em>;
      case "strong":
        return <strong>{inside()}</strong>;
      case "inlineCode":
        return <code>{node.value}</code>;
      case "code":
        return (
          <pre>
            <code>{node.value}</code>
          </pre>
        );
      case "link":
        return /^https:\/\/[^/]/i.test(node.url) ? (
          <a href={node.url} target="_blank" rel="noopener noreferrer">
            {inside()}
          </a>
        ) : (
          this.written(node)
        );
      default:
        return this.written(node);
    }
  }

  private written({ position }: Nodes): string {
    return this.source.slice(position?.start.offset, position?.end.offset);
  }
}

export function Markdown({ text }: { text: string }) {
  const root = fromMarkdown(text, { extensions: [{ disable: { null: AS_WRITTEN } }] });
  return (
    <div class="markdown" dir="auto">
      {new Elements(text).of(root)}
    </div>
  );
}
