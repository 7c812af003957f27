// SPDX-License-Identifier: MIT

import type { Controls } from "./player";

export type Action =
  | { kind: "verb"; position: number }
  | { kind: "player"; control: keyof Controls }
  | { kind: "unsure" | "nothing" | "other" | "flag" | "comment" | "send" | "back" | "leave" | "help" };

/** The keys of the candidates, in their order. */
export const VERB_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-"];

const NAMED: Record<string, Action> = {
  " ": { kind: "player", control: "pause" },
  r: { kind: "player", control: "replay" },
  ArrowLeft: { kind: "player", control: "stepBack" },
  ArrowRight: { kind: "player", control: "step" },
  h: { kind: "player", control: "slow" },
  f: { kind: "player", control: "enlarge" },
  x: { kind: "player", control: "skip" },
  Enter: { kind: "send" },
  Backspace: { kind: "back" },
  Escape: { kind: "leave" },
  u: { kind: "unsure" },
  n: { kind: "nothing" },
  o: { kind: "other" },
  m: { kind: "flag" },
  c: { kind: "comment" },
  "?": { kind: "help" },
};

function verbPosition({ key, code }: KeyboardEvent): number {
  if (/^\d$/.test(key)) return VERB_KEYS.indexOf(key);
  // Some keyboards write digits with Shift only; the place of the key counts there. What such a key
  // writes may be the dash.
  const [, digit] = code.match(/^Digit(\d)$/) ?? [];
  if (digit) return VERB_KEYS.indexOf(digit);
  return key === "-" || code === "Minus" ? VERB_KEYS.indexOf("-") : -1;
}

/** The letter of the key: the typed one, or the one at its position on layouts without Latin letters. */
function letter({ key, code }: KeyboardEvent): string {
  return /^[\u0080-\uffff]$/.test(key) ? code.replace(/^Key/, "").toLowerCase() : key.toLowerCase();
}

/** The action of a key; null if the browser should handle the key. */
export function actionOf(event: KeyboardEvent): Action | null {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented)
    return null;
  // Shortcuts are disabled while a dialog is open.
  if (document.querySelector("dialog[open]")) return null;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest("input:not([type=range]), textarea, select, [contenteditable]")) return null;
  // Enter and Space activate a focused control.
  if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, summary")) return null;
  const named = NAMED[event.key] ?? NAMED[letter(event)];
  if (named) return named;
  const position = verbPosition(event);
  return position < 0 ? null : { kind: "verb", position };
}
