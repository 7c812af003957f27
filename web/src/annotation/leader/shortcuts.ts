// SPDX-License-Identifier: MIT
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Calls the function of a key, unless somebody types into a field, a dialog is open or a control is focused. Listens
 * as soon as the screen shows.
 */
export function useShortcuts(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (document.querySelector("dialog[open]") || target.closest("input, textarea, select")) return;
      if (event.key === "Enter" && target.closest("button, a, summary, video")) return;
      const act = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
