// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

const LONG = 60;

/**
 * A name from the data. Names may be long or run from right to left: a long one is cut by the style
 * sheet and opens when it is pressed; each keeps its own direction.
 */
export function Name({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= LONG) return <bdi class="name">{text}</bdi>;
  return (
    <button
      type="button"
      class={open ? "name long open" : "name long"}
      aria-expanded={open}
      title={text}
      onClick={() => setOpen(!open)}
    >
      <bdi>{text}</bdi>
    </button>
  );
}
