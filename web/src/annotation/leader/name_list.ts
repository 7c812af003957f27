// SPDX-License-Identifier: MIT
//
// Names of people, entered one by one or pasted as a list.

const LONGEST = 100; // bytes
/** Names in one request. */
const MOST = 500;
/** Bytes in one request; servers accept 64 KB. */
const LONGEST_LIST = 60_000;

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Why a name cannot be used; empty if it can. */
export function nameFault(name: string): string {
  const wanted = name.trim();
  if (!wanted) return "Enter a name.";
  return bytes(wanted) > LONGEST ? "The name is too long." : "";
}

/** The fields of each line of a CSV text; quoted fields may contain separators, quotes and line breaks. */
function table(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  const endField = () => {
    rows.at(-1)!.push(field.trim());
    field = "";
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') field += text[++at];
      else quoted = false;
    } else if (letter === '"' && !field.trim()) {
      field = "";
      quoted = true;
    } else if (letter === separator) endField();
    else if (letter === "\n") {
      endField();
      rows.push([]);
    } else field += letter;
  }
  endField();
  return rows;
}

/** The first of the usual separators for which a line has a column "name". */
function separatorOf(header: string): string | undefined {
  return [",", ";", "\t"].find((separator) => columnOf(table(header, separator)[0]!) >= 0);
}

function columnOf(header: string[]): number {
  return header.findIndex((title) => title.toLowerCase() === "name");
}

/**
 * The names in a text: one per line, or the column "name" of a table from a spreadsheet, with commas, semicolons or
 * tabs. "Ann\nBen" and "mail,name\na@b.org,Ann\nb@b.org,Ben" are both ["Ann", "Ben"].
 */
export function namesIn(text: string): string[] {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const header = lines.trimStart().split("\n", 1)[0]!;
  const separator = separatorOf(header);
  if (separator === undefined)
    return lines
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line);
  const [titles, ...rows] = table(lines.trimStart(), separator);
  const column = columnOf(titles!);
  return rows.map((row) => (row[column] ?? "").replace(/\s+/g, " ")).filter((name) => name);
}

/** Why a list of names cannot be sent; empty if it can. */
export function listFault(names: string[]): string {
  if (names.length === 0) return "Enter at least one name.";
  if (names.length > MOST) return `Enter at most ${MOST} names at once; these are ${names.length}.`;
  const at = names.findIndex((name) => nameFault(name));
  if (at < 0)
    return bytes(JSON.stringify(names)) > LONGEST_LIST
      ? "The list is too long. Invite these people in parts."
      : "";
  return `Name ${at + 1} is too long: ${[...names[at]!].slice(0, 20).join("")}…`;
}
