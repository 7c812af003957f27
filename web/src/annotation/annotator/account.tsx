// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { shortened } from "../../common/format";
import { post, HttpError } from "../client";
import { Dialog } from "../dialog";
import { say } from "../strings/strings";
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

function SignOut({ work, signedOut, close }: SignOutProps) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const waiting = work !== undefined && work.unsent > 0;
  const go = async () => {
    setBusy(true);
    setFailure("");
    try {
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
      <p role="status">{waiting ? `${unsaved(work)} ${say("account.unsaved")}` : say("account.text")}</p>
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
