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
import { Account } from "./account";
import { GuideContext } from "./guide";
import { Workspace } from "./workspace";
import { Instructions } from "./instructions";
import { Join, takeToken, usedHere } from "./join";
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

/** Why the server did not return the person and the guide. */
interface Failure {
  text: string;
  /** Asking again does not help: nobody is signed in, or the person no longer takes part. */
  final?: "signed_out" | "excluded";
}

/** The signed-in person and the guide, or why the server did not return them; `load` asks again. */
function useStart(): { start: Start | null; failure: Failure | null; load: () => void } {
  const [start, setStart] = useState<Start | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = () => {
    let failures = 0;
    const ask = () =>
      Promise.all([get<Me>("/api/annotator"), get<Guide>("/api/annotator/guide")]).then(
        ([me, guide]) => {
          callFor(me.key);
          replaceStrings(guide.strings);
          setStart({ me, guide });
        },
        (error: unknown) => {
          const text = problem(error);
          if (error instanceof HttpError && error.forbidden)
            return setFailure({ text, final: error.status === 401 ? "signed_out" : "excluded" });
          setFailure({ text });
          setTimeout(() => void ask(), backOff(++failures));
        },
      );
    setStart(null);
    setFailure(null);
    void ask();
  };
  useEffect(load, []);
  return { start, failure, load };
}

function NotStarted({ failure, incomplete }: { failure: Failure | null; incomplete: boolean }) {
  if (failure?.final === "signed_out" && incomplete)
    return (
      <Notice title={say("page.invalid_link")}>
        <p>{say("join.incomplete")}</p>
      </Notice>
    );
  const title = failure?.final
    ? say(failure.final === "signed_out" ? "page.signed_out" : "page.stopped")
    : say(failure ? "page.waiting" : "page.loading");
  return (
    <Notice title={title}>
      <p>{failure?.text}</p>
    </Notice>
  );
}

/** The annotator's page: signing in, instructions and practice for new people, then the clips. */
export function App() {
  const { start, failure, load } = useStart();
  const me = start?.me;
  const [token, setToken] = useState(takeToken);
  const [stage, setStage] = useState<"welcome" | "practice" | "work" | "signed_out">("welcome");
  const [helping, setHelping] = useState(false);
  const [clock] = useState(() => new Clock());
  const asking = Boolean(token) && (me ? !usedHere(token!) : failure?.final !== undefined);
  useEffect(() => {
    if (!me) return;
    document.title = say("page.title", { project: shortened(me.project, 60) });
    if (me.practised) setStage("work");
  }, [me]);
  if (stage === "signed_out")
    return (
      <main>
        <Notice title={say("signed_out.title")}>
          <p>{say("signed_out.text")}</p>
        </Notice>
      </main>
    );
  if (asking)
    return (
      <main>
        <Join
          token={token!}
          me={me}
          proceed={(joined) => {
            setToken(null);
            if (!joined) return;
            setStage("welcome");
            load();
          }}
        />
      </main>
    );
  if (!start || !me)
    return (
      <main>
        <NotStarted failure={failure} incomplete={token === ""} />
      </main>
    );
  const help = () => setHelping(true);
  const signedOut = () => setStage("signed_out");
  return (
    <GuideContext.Provider value={start.guide}>
      {me.practised || stage === "work" ? (
        <Workspace me={me} help={help} signedOut={signedOut} />
      ) : (
        <>
          <Header
            project={me.project}
            account={<Account name={me.name} signedOut={signedOut} />}
            help={stage === "practice" ? help : undefined}
          />
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
