// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

import type { Invited, InvitedLeader } from "../api";
import { Dialog } from "../dialog";

/** Copies the text; returns whether it succeeded. Pages without TLS can copy only a selection. */
export async function copied(field: HTMLInputElement | HTMLTextAreaElement): Promise<boolean> {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

interface OneLinkProps {
  title: string;
  link: string;
  close: () => void;
  /** Whom to send it to, and what it does. */
  children: ComponentChildren;
}

/** A link that is shown only once. */
function OneLink({ title, link, close, children }: OneLinkProps) {
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState("");
  const copy = async () =>
    setState((await copied(field.current!)) ? "Copied." : "Copy the selected link manually.");
  return (
    <Dialog title={title} close={close}>
      <p>{children}</p>
      <div class="link">
        <input
          ref={field}
          type="text"
          readOnly
          value={link}
          aria-label={title}
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

function Receiver({ name }: { name: string }) {
  return (
    <strong>
      <bdi class="name">{name}</bdi>
    </strong>
  );
}

interface LinkDialogProps {
  invited: Invited;
  /** Days after which an unused link expires. */
  days: number;
  close: () => void;
}

/** A personal link. */
export function LinkDialog({ invited, days, close }: LinkDialogProps) {
  return (
    <OneLink title="Personal link" link={invited.link} close={close}>
      Send this link to <Receiver name={invited.person.name} /> only. Whoever opens it first annotates under
      this name: it signs in one device, once, and expires after {days === 1 ? "one day" : `${days} days`}. It
      is shown only now; if it gets lost, create a new one.
    </OneLink>
  );
}

/** A set-up link of a leader. */
export function SetUpLinkDialog({ invited, close }: { invited: InvitedLeader; close: () => void }) {
  return (
    <OneLink title="Set-up link" link={invited.link} close={close}>
      Send this link to <Receiver name={invited.leader.name} /> only. It sets their password, once, and
      expires after 7 days. It is shown only now; if it gets lost, create a new one.
    </OneLink>
  );
}
