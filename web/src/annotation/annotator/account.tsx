// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { shortened } from "../../common/format";
import { post, HttpError } from "../client";
import { Dialog } from "../dialog";
import { say, sayCount } from "../strings/strings";
import { problem } from "./problem";
import { unsaved } from "./status";
import type { Work } from "./work";

interface AccountProps {
  name: string;
  /** Its answers must be saved before signing out. */
  work?: Work;
  signedOut: () => void;
}

interface SignOutProps extends AccountProps {
  close: () => void;
}

/** What happens to the answers, and how to come back. */
function effect(work: Work | undefined): string {
  if (!work?.unsent) return say("account.text");
  // The server rejects this person: waiting does not help.
  if (work.phase === "stopped")
    return `${sayCount("unsaved", work.unsent)} ${say(work.kept ? "stopped.stored" : "stopped.not_stored")}`;
  return `${unsaved(work)} ${say("account.unsaved")}`;
}

function SignOut({ work, signedOut, close }: SignOutProps) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const stopped = work?.phase === "stopped";
  const waiting = work !== undefined && work.unsent > 0 && !stopped;
  const go = async () => {
    setBusy(true);
    setFailure("");
    try {
      // Another window may have unsent answers.
      const left = stopped ? 0 : ((await work?.unsentEverywhere()) ?? 0);
      if (left > 0) {
        setFailure(`${sayCount("unsaved", left)} ${say("account.unsaved")}`);
        return setBusy(false);
      }
      await post("/api/annotator/logout");
      signedOut();
    } catch (error) {
      if (error instanceof HttpError && error.forbidden) return signedOut();
      setFailure(problem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={say("account.title")} close={close}>
      <p role="status">{effect(work)}</p>
      <p class="error" role="alert">
        {failure}
      </p>
      <div class="actions">
        <button type="button" onClick={close}>
          {say("account.stay")}
        </button>
        <button type="button" class="primary" disabled={busy || waiting} onClick={() => void go()}>
          {say("account.sign_out")}
        </button>
      </div>
    </Dialog>
  );
}

/** Whose name this is, and the button to sign out. */
export function Account({ name, work, signedOut }: AccountProps) {
  const [leaving, setLeaving] = useState(false);
  return (
    <div class="account" role="group" aria-label={say("account.label", { name })}>
      <bdi class="who" title={name}>
        {shortened(name, 60)}
      </bdi>
      <button
        type="button"
        class="quiet"
        // Without the focus, so that the shortcuts keep working.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setLeaving(true)}
      >
        {say("account.sign_out")}
      </button>
      {leaving && <SignOut name={name} work={work} signedOut={signedOut} close={() => setLeaving(false)} />}
    </div>
  );
}
