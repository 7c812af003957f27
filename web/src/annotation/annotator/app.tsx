// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { shortened } from "../../common/format";
import { ThemeChoice } from "../../common/theme";
import type { Guide, Me } from "../api";
import { callFor, get, HttpError } from "../client";
import { Dialog } from "../dialog";
import { replaceStrings, say, sayWith } from "../strings/strings";
import { backOff } from "../wait";
import { Clock } from "./clock";
import { GuideContext } from "./guide";
import { Workspace } from "./workspace";
import { Instructions } from "./instructions";
import { PracticeRound } from "./practice";
import { problem } from "./problem";
import { Notice, PrimaryButton } from "./screens";
import { Header } from "./header";

function Colours() {
  return (
    <ThemeChoice
      title={say("colours.title")}
      names={{
        system: say("colours.system"),
        light: say("colours.light"),
        dark: say("colours.dark"),
      }}
    />
  );
}

function Help({ close }: { close: () => void }) {
  return (
    <Dialog title={say("help.title")} close={close}>
      <Instructions />
      <div class="actions">
        <Colours />
        <PrimaryButton label={say("help.back")} press={close} />
      </div>
    </Dialog>
  );
}

function Welcome({ me, start }: { me: Me; start: () => void }) {
  return (
    <section class="welcome">
      <h1>{sayWith("welcome.title", { name: <bdi>{shortened(me.name, 60)}</bdi> })}</h1>
      <p class="lead">{say("welcome.lead")}</p>
      <Instructions />
      <div class="actions">
        <Colours />
        <PrimaryButton label={say("welcome.start")} press={start} />
      </div>
    </section>
  );
}

interface Start {
  me: Me;
  guide: Guide;
}

/** The signed-in person and the guide, or why the server did not return them. */
function useStart(): { start: Start | null; failure: string; final: boolean } {
  const [start, setStart] = useState<Start | null>(null);
  const [failure, setFailure] = useState("");
  const [final, setFinal] = useState(false);
  useEffect(() => {
    let failures = 0;
    const load = () =>
      Promise.all([get<Me>("/api/annotator"), get<Guide>("/api/annotator/guide")]).then(
        ([me, guide]) => {
          callFor(me.key);
          replaceStrings(guide.strings);
          setStart({ me, guide });
        },
        (error: unknown) => {
          setFailure(problem(error));
          if (error instanceof HttpError && error.forbidden) setFinal(true);
          else setTimeout(() => void load(), backOff(++failures));
        },
      );
    void load();
  }, []);
  return { start, failure, final };
}

/** The annotator's page: instructions and practice for new people, then the clips. */
export function App() {
  const { start, failure, final } = useStart();
  const me = start?.me;
  const [stage, setStage] = useState<"welcome" | "practice" | "work">("welcome");
  const [helping, setHelping] = useState(false);
  const [clock] = useState(() => new Clock());
  useEffect(() => {
    if (!me) return;
    document.title = say("page.title", { project: shortened(me.project, 60) });
    if (me.practised) setStage("work");
  }, [me]);
  if (!start || !me)
    return (
      <main>
        <Notice title={say(final ? "page.invalid_link" : failure ? "page.waiting" : "page.loading")}>
          <p>{failure}</p>
        </Notice>
      </main>
    );
  const help = () => setHelping(true);
  return (
    <GuideContext.Provider value={start.guide}>
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
    </GuideContext.Provider>
  );
}
