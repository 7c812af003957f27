// SPDX-License-Identifier: MIT
import type { Answer } from "../api";

/** An answer that has not been sent. */
export interface Draft {
  /** In the order of choosing. Kept, but ignored, while `nothing` or `other` is true. */
  chosen: number[];
  confident: boolean;
  nothing: boolean;
  /** "None of these verbs"; never together with `nothing`. */
  other: boolean;
  /** As typed. Kept, but ignored, unless `other` is true. */
  other_verb: string;
  flagged: boolean;
  /** As typed. */
  comment: string;
}

/** In characters, as the server limits them. */
export const LONGEST = { other_verb: 40, comment: 500 };

export const EMPTY: Draft = {
  chosen: [],
  confident: true,
  nothing: false,
  other: false,
  other_verb: "",
  flagged: false,
  comment: "",
};

export function draftOf({ milliseconds: _, ...answer }: Answer): Draft {
  return answer;
}

/** Whether no verb is chosen for a reason, instead of verbs. */
function without({ nothing, other }: Draft): boolean {
  return nothing || other;
}

/** Selects or deselects a class. Selecting a verb resets `nothing` and `other`. */
export function toggled(draft: Draft, chosen: number): Draft {
  if (without(draft)) return { ...draft, nothing: false, other: false, chosen: [chosen] };
  return draft.chosen.includes(chosen)
    ? { ...draft, chosen: draft.chosen.filter((each) => each !== chosen) }
    : { ...draft, chosen: [...draft.chosen, chosen] };
}

export function isChosen(draft: Draft, candidate: number): boolean {
  return !without(draft) && draft.chosen.includes(candidate);
}

/** Whether the draft can be sent. */
export function complete(draft: Draft): boolean {
  return without(draft) || draft.chosen.length > 0;
}

/** On one line and not too long; counted in characters, as the server does. */
function written(text: string, longest: number): string {
  const line = text.normalize("NFC").replace(/\s+/g, " ").trim();
  return [...line].slice(0, longest).join("").trim();
}

const DAY = 86_400_000;

/** The time is limited to one day, because a page may stay open for weeks. */
export function answerOf(draft: Draft, milliseconds: number): Answer {
  return {
    ...draft,
    chosen: without(draft) ? [] : draft.chosen,
    other_verb: draft.other ? written(draft.other_verb.toLowerCase(), LONGEST.other_verb) : "",
    comment: written(draft.comment, LONGEST.comment),
    milliseconds: Math.min(milliseconds, DAY),
  };
}

export function same(draft: Draft, answer: Answer): boolean {
  const text = ({ chosen, milliseconds: _, ...rest }: Answer) =>
    JSON.stringify([[...chosen].sort((a, b) => a - b), Object.entries(rest).sort()]);
  return text(answerOf(draft, 0)) === text(answer);
}
