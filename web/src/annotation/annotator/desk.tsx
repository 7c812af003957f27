// SPDX-License-Identifier: MIT
import { useEffect, useReducer, useState } from "preact/hooks";

import { shortened } from "../../common/format";
import type { Me } from "../api";
import { Pad } from "./pad";
import { Notice, Paused, Thanks, Waiting } from "./screens";
import { ConnectionLost, ProgressBar, SaveState, unsaved } from "./status";
import { Top } from "./top";
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
  const { shown, mending, phase } = work;
  const idle = { look: () => work.tryNow(), back: () => work.back(), notice: work.notice };
  if (phase === "refused")
    return (
      <Notice title="This does not go on here">
        <p>{work.refusal}</p>
        {work.unsent > 0 && (
          <p>
            {unsaved(work.unsent)}.{" "}
            {work.kept
              ? "This browser keeps what you sent and sends it when your personal link is opened here again."
              : "This browser cannot keep what you sent beyond this page."}
          </p>
        )}
      </Notice>
    );
  if (shown)
    return (
      <Pad
        task={shown}
        ahead={mending ? work.tasks[0] : work.tasks[1]}
        title={mending ? `Earlier answer: clip no. ${shown.task}` : `Clip no. ${shown.task}`}
        draft={work.draft(shown)}
        change={(draft) => work.change(shown, draft)}
        send={() => work.send()}
        sendLabel={mending ? "Save" : "Send"}
        back={() => work.back()}
        skip={mending ? undefined : () => work.skip()}
        seenBefore={mending !== null}
        leave={mending ? () => work.leave() : undefined}
        help={help}
        clock={work.clock}
        notice={work.notice}
      />
    );
  if (phase === "waiting") return <Waiting {...idle} />;
  if (phase === "paused") return <Paused look={idle.look} />;
  if (phase === "done") return <Thanks {...idle} name={shortened(me.name, 60)} progress={work.progress} />;
  return <Notice title={work.failing ? "Waiting for the connection" : "Fetching the next clip…"} />;
}

/** Where a person works, clip after clip, once the practice is over. */
export function Desk({ me, help }: { me: Me; help: () => void }) {
  const work = useWork(me);
  return (
    <>
      <Top project={me.project} help={help}>
        <ProgressBar progress={work.progress} />
        <SaveState work={work} />
      </Top>
      <main class={work.mending ? "mending" : ""}>
        <ConnectionLost work={work} />
        <Screen work={work} me={me} help={help} />
      </main>
    </>
  );
}
