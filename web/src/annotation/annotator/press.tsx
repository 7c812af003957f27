// SPDX-License-Identifier: MIT
import { useEffect, useRef } from "preact/hooks";

import { actionOf, type Action } from "./keys";

interface PressProps {
  class: string;
  /** The key as it is written on the button. */
  cap: string;
  /** The key as assistive technology names it, where that differs. */
  shortcut?: string;
  /** On or off; left out where pressing does something else than switch. */
  pressed?: boolean;
  /** It cannot be used yet. It can still be pressed, to hear why. */
  off?: boolean;
  press: () => void;
  /** What the button says; where that is too long to be shown whole, pointing at it shows it. */
  children: string;
}

/** A button with a key of its own. The mouse does not give it the focus, so that the keys stay free. */
export function Press({ class: kind, cap, shortcut, pressed, off, press, children }: PressProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-pressed={pressed}
      aria-disabled={off || undefined}
      aria-keyshortcuts={shortcut ?? cap}
      onMouseDown={(event) => event.preventDefault()}
      onClick={press}
    >
      <kbd aria-hidden="true">{cap}</kbd>
      <bdi title={children.length > 40 ? children : undefined}>{children}</bdi>
      {pressed !== undefined && (
        <span class="mark" aria-hidden="true">
          {pressed ? "✓" : ""}
        </span>
      )}
    </button>
  );
}

/** Calls `act` for each key that means something here; a key held down counts once. */
export function useKeys(act: (action: Action) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      if (!event.repeat) latest.current(action);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Milliseconds in which a second press of a button was meant for what stood there before. */
const SETTLING = 600;

/** Tells whether what `key` names has been in sight for long enough to be answered at all. */
export function useSettled(key: unknown): () => boolean {
  const since = useRef({ key, at: performance.now() });
  if (since.current.key !== key) since.current = { key, at: performance.now() };
  return () => performance.now() - since.current.at > SETTLING;
}
