// SPDX-License-Identifier: MIT
import { useRef, useState } from "preact/hooks";

import type { Invited } from "../api";
import { Dialog } from "../dialog";

/** Copies the text; returns whether it succeeded. Pages without TLS can copy only a selection. */
async function copied(field: HTMLInputElement): Promise<boolean> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

/** A personal link. It is shown only once. */
export function LinkDialog({ invited, close }: { invited: Invited; close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState("");
  const copy = async () =>
    setState((await copied(field.current!)) ? "Copied." : "Copy the selected link manually.");
  return (
    <Dialog title="Personal link" close={close}>
      <p>
        Send this link to{" "}
        <strong>
          <bdi class="name">{invited.person.name}</bdi>
        </strong>
        only. Everybody who opens it annotates under this name. It is shown only once; if it gets lost, create
        a new one.
      </p>
      <div class="link">
        <input
          ref={field}
          type="text"
          readOnly
          value={invited.link}
          aria-label="Personal link"
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <div class="actions">
        <span role="status">{state}</span>
        <button type="button" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
