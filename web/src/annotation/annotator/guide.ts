// SPDX-License-Identifier: MIT
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Guide } from "../api";

export const GuideContext = createContext<Guide>({ instructions: "", definitions: [], strings: {} });

/** What the leader wrote for annotators. */
export function useGuide(): Guide {
  return useContext(GuideContext);
}

/** What a verb means; undefined if the leader did not write it. */
export function definitionOf(guide: Guide, verb: number): string | undefined {
  return guide.definitions.find(({ class: defined }) => defined === verb)?.definition;
}
