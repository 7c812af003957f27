// SPDX-License-Identifier: MIT
import type { Answer } from "../api";

/** An answer that has not been sent. */
export interface Draft {
  /** In the order of choosing. Kept, but ignored, while `nothing` is true. */
  chosen: number[];
  confident: boolean;
  nothing: boolean;
}

export const EMPTY: Draft = { chosen: [], confident: true, nothing: false };

export function draftOf({ chosen, confident, nothing }: Answer): Draft {
  return { chosen, confident, nothing };
}

/** Selects or deselects a class. Selecting a verb resets `nothing`. */
export function toggled(draft: Draft, chosen: number): Draft {
  if (draft.nothing) return { ...draft, nothing: false, chosen: [chosen] };
  return draft.chosen.includes(chosen)
    ? { ...draft, chosen: draft.chosen.filter((each) => each !== chosen) }
    : { ...draft, chosen: [...draft.chosen, chosen] };
}

export function isChosen(draft: Draft, candidate: number): boolean {
  return !draft.nothing && draft.chosen.includes(candidate);
}

/** Whether the draft can be sent. */
export function complete(draft: Draft): boolean {
  return draft.nothing || draft.chosen.length > 0;
}

const DAY = 86_400_000;

/** The time is limited to one day, because a page may stay open for weeks. */
export function answerOf(draft: Draft, milliseconds: number): Answer {
  return {
    ...draft,
    chosen: draft.nothing ? [] : draft.chosen,
    milliseconds: Math.min(milliseconds, DAY),
  };
}

export function same(draft: Draft, answer: Answer): boolean {
  const classes = (chosen: number[]) => [...chosen].sort((a, b) => a - b).join();
  return (
    draft.confident === answer.confident &&
    draft.nothing === answer.nothing &&
    (draft.nothing || classes(draft.chosen) === classes(answer.chosen))
  );
}
