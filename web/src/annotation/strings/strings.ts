// SPDX-License-Identifier: MIT
//
// The texts of the annotator's page in the language of the project, which the server writes into the page as
// <html lang>. The project may replace some of them.
import type { ComponentChildren } from "preact";

import { english, type Key } from "./english";
import { LANGUAGES } from "./languages";

/** The locale of numbers and plurals. */
const LOCALES: Record<string, string> = { en: "en-GB", de: "de-DE" };

const { lang } = document.documentElement;
let table = LANGUAGES[lang] ?? english;
const locale = LOCALES[lang] ?? "en-GB";
const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);

/** Replaces texts by those of the project. */
export function replaceStrings(own: Partial<Record<Key, string>>): void {
  table = { ...table, ...own };
}

/** The names in braces: "done" | "total" for "{done} of {total}". */
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
/** The values that a text needs; nothing if it needs none. */
type Values<K extends Key, Value> = [Names<(typeof english)[K]>] extends [never]
  ? []
  : [values: Record<Names<(typeof english)[K]>, Value>];
/** "unsaved", for the texts "unsaved.one" and "unsaved.other". */
type Counted = Key extends infer K ? (K extends `${infer Base}.one` ? Base : never) : never;

/** A text in its parts: text, name of a value, text, … */
function parts(key: Key): string[] {
  return table[key].split(/\{(\w+)\}/);
}

/** A text. Numbers are written as usual in the language: 1234 is "1,234" or "1.234". */
export function say<K extends Key>(key: K, ...[values]: Values<K, string | number>): string {
  const given = (values ?? {}) as Record<string, string | number>;
  const written = (value: string | number) => (typeof value === "number" ? numbers.format(value) : value);
  return parts(key)
    .map((part, at) => (at % 2 ? written(given[part]!) : part))
    .join("");
}

/** The text for a number, such as "unsaved.one" or "unsaved.other"; {count} is the number. */
export function sayCount<Base extends Counted>(
  base: Base,
  count: number,
  others: Partial<Record<string, string>> = {},
): string {
  const form = plurals.select(count) === "one" ? "one" : "other";
  const key: Key = `${base}.${form}`;
  return (say as (key: Key, values: object) => string)(key, { ...others, count });
}

/** A text whose values are elements. */
export function sayWith<K extends Key>(
  key: K,
  ...[values]: Values<K, ComponentChildren>
): ComponentChildren[] {
  const given = (values ?? {}) as Record<string, ComponentChildren>;
  return parts(key).map((part, at) => (at % 2 ? given[part] : part));
}
