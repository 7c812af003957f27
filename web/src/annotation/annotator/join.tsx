// SPDX-License-Identifier: MIT
//
// Signing in with a personal link, SITE/join#TOKEN. Only a button uses the link up: programs that check links in
// mails open them, too.
import { useState } from "preact/hooks";

import { shortened } from "../../common/format";
import type { Me } from "../api";
import { callFor, get, post, HttpError } from "../client";
import { say } from "../strings/strings";
import { problem } from "./problem";
import { Notice } from "./screens";

/** Where this browser remembers the link that it has used up. */
const USED = "manyverbs-link";

/**
 * Takes the token of a personal link out of the address, so that it is not in the history. Empty if the link has
 * lost it, null if the page was not opened by a link.
 */
export function takeToken(): string | null {
  if (!/\/join$/.test(location.pathname)) return null;
  const token = location.hash.slice(1);
  history.replaceState(null, "", "./annotate");
  return token;
}

/** Whether this browser has signed in with the link before: people open it again to continue. */
export function usedHere(token: string): boolean {
  try {
    return localStorage.getItem(USED) === token;
  } catch {
    return false;
  }
}

function remember(token: string): void {
  try {
    localStorage.setItem(USED, token);
  } catch {
    // Then the page asks each time.
  }
}

interface JoinProps {
  token: string;
  /** The person who is signed in already. */
  me?: Me;
  /** Called after signing in with the link, or to continue without it. */
  proceed: (joined: boolean) => void;
}

/** Asks to sign in with the link, or to continue if somebody is signed in. */
export function Join({ token, me, proceed }: JoinProps) {
  const [failure, setFailure] = useState("");
  const [used, setUsed] = useState(false);
  const [busy, setBusy] = useState(false);
  const join = async () => {
    if (busy) return;
    setBusy(true);
    setFailure("");
    try {
      // Whoever is signed in, the link is somebody else's.
      callFor("");
      await post("/api/annotator/join", { token });
      remember(token);
      proceed(true);
    } catch (error) {
      // Only the reply may have got lost: then this device is signed in.
      const now = await get<Me>("/api/annotator").catch(() => null);
      if (now && now.key !== me?.key) return proceed(true);
      if (me) callFor(me.key);
      if (error instanceof HttpError && error.status === 404) setUsed(true);
      else setFailure(problem(error));
      setBusy(false);
    }
  };
  if (me) {
    const name = shortened(me.name, 60);
    return (
      <Notice
        title={say("join.already", { name })}
        action={{ label: say("join.continue", { name }), press: () => proceed(false) }}
        other={used ? undefined : { label: say("join.use_link"), press: () => void join() }}
      >
        <p>{say(used ? "join.still" : "join.already_text")}</p>
        <p class="hint">{failure}</p>
      </Notice>
    );
  }
  if (used)
    return (
      <Notice title={say("page.invalid_link")}>
        <p>{say("join.used")}</p>
      </Notice>
    );
  return (
    <Notice title={say("join.title")} action={{ label: say("join.button"), press: () => void join() }}>
      <p>{say("join.text")}</p>
      <p class="hint">{failure}</p>
    </Notice>
  );
}
