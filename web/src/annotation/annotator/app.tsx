// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { shortened } from "../../common/format";
import { ThemeChoice } from "../../common/theme";
import type { Me } from "../api";
import { callFor, get, problem, HttpError } from "../client";
import { Dialog } from "../dialog";
import { backOff } from "../wait";
import { Clock } from "./clock";
import { Workspace } from "./workspace";
import { Instructions } from "./instructions";
import { PracticeRound } from "./practice";
import { Notice, PrimaryButton } from "./screens";
import { Header } from "./header";

function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Instructions" close={close}>
      <Instructions />
      <div class="actions">
        <ThemeChoice />
        <PrimaryButton label="Back to the clips" press={close} />
      </div>
    </Dialog>
  );
}

function Welcome({ me, start }: { me: Me; start: () => void }) {
  return (
    <section class="welcome">
      <h1>
        Welcome, <bdi>{shortened(me.name, 60)}</bdi>
      </h1>
      <p class="lead">
        You will see short clips and choose the verbs that describe them. First you practise with a few clips.
      </p>
      <Instructions />
      <div class="actions">
        <ThemeChoice />
        <PrimaryButton label="Start the practice round" press={start} />
      </div>
    </section>
  );
}

/** The signed-in person, or why the server did not return one. */
function useMe(): { me: Me | null; failure: string; final: boolean } {
  const [me, setMe] = useState<Me | null>(null);
  const [failure, setFailure] = useState("");
  const [final, setFinal] = useState(false);
  useEffect(() => {
    let failures = 0;
    const load = () =>
      get<Me>("/api/annotator").then(
        (found) => {
          callFor(found.key);
          setMe(found);
        },
        (error: unknown) => {
          setFailure(problem(error));
          if (error instanceof HttpError && error.forbidden) setFinal(true);
          else setTimeout(() => void load(), backOff(++failures));
        },
      );
    void load();
  }, []);
  return { me, failure, final };
}

/** The annotator's page: instructions and practice for new people, then the clips. */
export function App() {
  const { me, failure, final } = useMe();
  const [stage, setStage] = useState<"welcome" | "practice" | "work">("welcome");
  const [helping, setHelping] = useState(false);
  const [clock] = useState(() => new Clock());
  useEffect(() => {
    if (!me) return;
    document.title = `${shortened(me.project, 60)}: annotate`;
    if (me.practised) setStage("work");
  }, [me]);
  if (!me)
    return (
      <main>
        <Notice title={final ? "This link is not valid" : failure ? "Waiting for the server" : "One moment…"}>
          <p>{failure}</p>
        </Notice>
      </main>
    );
  const help = () => setHelping(true);
  return (
    <>
      {me.practised || stage === "work" ? (
        <Workspace me={me} help={help} />
      ) : (
        <>
          <Header project={me.project} help={stage === "practice" ? help : undefined} />
          <main>
            {stage === "welcome" && <Welcome me={me} start={() => setStage("practice")} />}
            {stage === "practice" && (
              <PracticeRound clock={clock} help={help} over={() => setStage("work")} />
            )}
          </main>
        </>
      )}
      {helping && <Help close={() => setHelping(false)} />}
    </>
  );
}
