// SPDX-License-Identifier: MIT
import { useEffect, useReducer, useState } from "preact/hooks";

import { shortened } from "../../common/format";
import type { Me } from "../api";
import { say, sayCount } from "../strings/strings";
import { Account } from "./account";
import { AnswerForm } from "./answer_form";
import { Notice, Over, Paused, Thanks, Waiting } from "./screens";
import { ConnectionLost, ProgressBar, SaveState } from "./status";
import { Header } from "./header";
import { Work } from "./work";

function useWork(me: Me): Work {
  const [work] = useState(() => new Work(me));
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    work.changed = () => redraw(null);
    redraw(null);
  }, []);
  return work;
}

function Screen({ work, me, help }: { work: Work; me: Me; help: () => void }) {
  const { shown, correcting, phase } = work;
  const idle = { look: () => work.tryNow(), back: () => work.back(), notice: work.notice };
  if (phase === "stopped")
    return (
      <Notice title={say("page.stopped")}>
        <p>{work.stopReason}</p>
        {work.unsent > 0 && (
          <p>
            {sayCount("unsaved", work.unsent)} {say(work.kept ? "stopped.stored" : "stopped.not_stored")}
          </p>
        )}
      </Notice>
    );
  if (shown)
    return (
      <AnswerForm
        task={shown}
        ahead={correcting ? work.tasks[0] : work.tasks[1]}
        title={say(correcting ? "clip.earlier" : "clip.title", { number: String(shown.task) })}
        draft={work.draft(shown)}
        change={(draft) => work.change(shown, draft)}
        send={() => work.send()}
        sendLabel={say(correcting ? "answer.save" : "answer.send")}
        back={() => work.back()}
        skip={correcting ? undefined : () => work.skip()}
        seenBefore={correcting !== null}
        leave={correcting ? () => work.leave() : undefined}
        help={help}
        clock={work.clock}
        remarks
        notice={work.notice}
      />
    );
  if (phase === "waiting") return <Waiting {...idle} />;
  if (phase === "paused") return <Paused look={idle.look} why={work.pausedFor} />;
  if (phase === "closed" || phase === "quota")
    return <Over {...idle} why={phase} name={shortened(me.name, 60)} progress={work.progress} />;
  if (phase === "done") return <Thanks {...idle} name={shortened(me.name, 60)} progress={work.progress} />;
  return <Notice title={say(work.failing ? "page.waiting" : "clip.loading_next")} />;
}

/** The page for annotating clips, after the practice. */
export function Workspace({ me, help, signedOut }: { me: Me; help: () => void; signedOut: () => void }) {
  const work = useWork(me);
  const leave = () => {
    work.end();
    signedOut();
  };
  const account = <Account name={me.name} work={work} signedOut={leave} />;
  return (
    <>
      <Header project={me.project} account={account} help={help}>
        <ProgressBar progress={work.progress} />
        <SaveState work={work} />
      </Header>
      <main class={work.correcting ? "correcting" : ""}>
        <ConnectionLost work={work} />
        <Screen work={work} me={me} help={help} />
      </main>
    </>
  );
}
