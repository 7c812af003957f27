// SPDX-License-Identifier: MIT
import { useLayoutEffect, useRef } from "preact/hooks";

import { actionOf, type Action } from "./keys";

interface KeyButtonProps {
  class: string;
  /** The key shown on the button. */
  cap: string;
  /** The key name for assistive technology, if different. */
  shortcut?: string;
  /** Shown instead of the label where there is little space. */
  icon?: string;
  /** Toggle state; undefined for buttons that are not toggles. */
  pressed?: boolean;
  /** Disabled, but it can still be pressed to show the reason. */
  off?: boolean;
  tooltip?: string;
  /** The id of the element that describes the button. */
  describedBy?: string;
  press: () => void;
  /** The label. Long labels are also shown as a tooltip. */
  children: string;
}

/** A button with a keyboard shortcut. Mouse clicks do not focus it, so that the shortcuts keep working. */
export function KeyButton({
  class: kind,
  cap,
  shortcut,
  icon,
  pressed,
  off,
  tooltip,
  describedBy,
  press,
  children,
}: KeyButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      title={tooltip}
      aria-pressed={pressed}
      aria-disabled={off || undefined}
      aria-describedby={describedBy}
      aria-keyshortcuts={shortcut ?? cap}
      onMouseDown={(event) => event.preventDefault()}
      onClick={press}
    >
      <kbd aria-hidden="true">{cap}</kbd>
      {icon && (
        <span class="icon" aria-hidden="true">
          {icon}
        </span>
      )}
      <bdi title={children.length > 40 && !tooltip ? children : undefined}>{children}</bdi>
      {pressed !== undefined && (
        <span class="mark" aria-hidden="true">
          {pressed ? "✓" : ""}
        </span>
      )}
    </button>
  );
}

/** Calls `act` for each shortcut. A key that is held repeats only steps from frame to frame. */
export function useKeys(act: (action: Action) => void): void {
  const latest = useRef(act);
  latest.current = act;
  // Before the screen is painted: a key that is pressed as soon as it shows must not be lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      const repeats = event.key === "ArrowLeft" || event.key === "ArrowRight";
      if (!event.repeat || repeats) latest.current(action);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Milliseconds in which a second press is taken as a double click on the previous content. */
const SETTLING = 600;

/** Returns whether the content identified by `key` has been shown long enough to be answered. */
export function useSettled(key: unknown): () => boolean {
  const since = useRef({ key, at: performance.now() });
  if (since.current.key !== key) since.current = { key, at: performance.now() };
  return () => performance.now() - since.current.at > SETTLING;
}
