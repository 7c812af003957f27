// SPDX-License-Identifier: MIT
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface OwnWordsProps {
  label: string;
  value: string;
  longest: number;
  change: (value: string) => void;
  /** Returns to the keys; the text stays. */
  leave: () => void;
}

/** Touching a button should not open the keyboard of the device: people touch the field if they want to write. */
const TOUCH = "(hover: none) and (pointer: coarse)";

/** A line of text. It is shown and focused when it appears; Enter and Escape leave it, so that the keys work again. */
export function OwnWords({ label, value, longest, change, leave }: OwnWordsProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (value) return;
    if (!matchMedia(TOUCH).matches) input.current!.focus({ preventScroll: true });
    input.current!.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div class="own-words">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="text"
        dir="auto"
        value={value}
        maxLength={longest}
        autoComplete="off"
        enterKeyHint="done"
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
          event.preventDefault();
          leave();
        }}
      />
    </div>
  );
}
