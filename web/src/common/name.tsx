// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

const LONG = 60;

/**
 * A name from the data. Long names are truncated and expand on click. Each name keeps its own text direction.
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
