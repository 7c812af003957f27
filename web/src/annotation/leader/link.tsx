// SPDX-License-Identifier: MIT
import { useRef, useState } from "preact/hooks";

import type { Invited } from "../api";
import { Dialog } from "../dialog";

/** True when the text is on the clipboard. Pages without TLS may only copy what is selected. */
async function copied(field: HTMLInputElement): Promise<boolean> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

/** A personal link, shown this once. */
export function LinkDialog({ invited, close }: { invited: Invited; close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState("");
  const copy = async () =>
    setState((await copied(field.current!)) ? "Copied." : "Copy the marked link by hand.");
  return (
    <Dialog title="Personal link" close={close}>
      <p>
        Send this link to{" "}
        <strong>
          <bdi class="name">{invited.person.name}</bdi>
        </strong>
        , and to nobody else: whoever opens it works under this name. It is shown only now; if it gets lost,
        make a new one.
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
