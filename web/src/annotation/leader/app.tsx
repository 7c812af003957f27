// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import type { LeaderSession } from "../api";
import { get, problem } from "../client";
import { backOff } from "../wait";
import { Dashboard } from "./dashboard";
import { SetUp, SetUpLinkNeeded, SignIn } from "./session";

const TOKEN = /^#setup=(.+)$/;

function useSession() {
  const [session, setSession] = useState<LeaderSession | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let failures = 0;
    const load = () =>
      get<LeaderSession>("/api/leader").then(setSession, (error: unknown) => {
        setFailure(problem(error));
        setTimeout(() => void load(), backOff(++failures));
      });
    void load();
  }, []);
  return { session, setSession, failure };
}

/** The leader's page: the sign-in form or the dashboard. */
export function App() {
  const { session, setSession, failure } = useSession();
  const [token] = useState(() => location.hash.match(TOKEN)?.[1]);
  const enter = (entered: LeaderSession) => {
    // The token is no longer needed and should not stay in the history.
    if (TOKEN.test(location.hash)) history.replaceState(null, "", location.pathname);
    setSession(entered);
  };
  if (session?.state === "signed_in")
    return <Dashboard signedOut={() => setSession({ state: "signed_out" })} />;
  return (
    <main>
      {!session && (
        <section class="gate" role="status">
          <h1>{failure ? "Waiting for the server" : "One moment…"}</h1>
          <p>{failure}</p>
        </section>
      )}
      {session?.state === "setup" && (token ? <SetUp token={token} enter={enter} /> : <SetUpLinkNeeded />)}
      {session?.state === "signed_out" && <SignIn enter={enter} />}
    </main>
  );
}
