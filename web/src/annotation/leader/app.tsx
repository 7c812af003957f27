// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import type { LeaderSession, SetUpLink } from "../api";
import { get, post, problem, HttpError } from "../client";
import { backOff } from "../wait";
import { Dashboard } from "./dashboard";
import { SetUp, SetUpLinkNeeded, SignIn } from "./session";

const TOKEN = /^#setup=(.+)$/;

/** The token is no longer needed and should not stay in the history. */
function forgetToken(): void {
  if (TOKEN.test(location.hash)) history.replaceState(null, "", location.pathname);
}

interface Start {
  session: LeaderSession;
  /** The set-up link that the page was opened by, if it is valid. */
  setUp?: SetUpLink & { token: string };
  /** Why a set-up link cannot be used. */
  notice: string;
}

async function started(): Promise<Start> {
  const session = await get<LeaderSession>("/api/leader");
  const token = location.hash.match(TOKEN)?.[1];
  if (token === undefined) return { session, notice: "" };
  try {
    const { name } = await post<SetUpLink>("/api/leader/setup/check", { token });
    return { session, setUp: { name, token }, notice: "" };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    forgetToken();
    return { session, notice: error.message };
  }
}

function useStart() {
  const [start, setStart] = useState<Start | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let failures = 0;
    const load = () =>
      started().then(setStart, (error: unknown) => {
        setFailure(problem(error));
        setTimeout(() => void load(), backOff(++failures));
      });
    void load();
    // A set-up link that is opened while the page is open only changes the part after #.
    const opened = () => TOKEN.test(location.hash) && void load();
    addEventListener("hashchange", opened);
    return () => removeEventListener("hashchange", opened);
  }, []);
  return { start, setStart, failure };
}

/** The leader's page: the form to sign in or to set a password, or the dashboard. */
export function App() {
  const { start, setStart, failure } = useStart();
  const enter = (session: LeaderSession) => {
    forgetToken();
    setStart({ session, notice: "" });
  };
  if (!start)
    return (
      <main>
        <section class="gate" role="status">
          <h1>{failure ? "Waiting for the server" : "One moment…"}</h1>
          <p>{failure}</p>
        </section>
      </main>
    );
  const { session, setUp, notice } = start;
  if (setUp)
    return (
      <main>
        <SetUp key={setUp.token} {...setUp} enter={enter} />
      </main>
    );
  if (session.state === "signed_in")
    return <Dashboard name={session.name ?? ""} signedOut={() => enter({ state: "signed_out" })} />;
  return (
    <main>
      {session.state === "setup" ? (
        <SetUpLinkNeeded notice={notice} />
      ) : (
        <SignIn enter={enter} notice={notice} />
      )}
    </main>
  );
}
