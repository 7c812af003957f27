// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import type { Practice, PracticeReply, Task } from "../api";
import { get, post } from "../client";
import { say, sayWith } from "../strings/strings";
import type { Clock } from "./clock";
import { answerOf, EMPTY, isChosen, type Draft } from "./draft";
import { AnswerForm } from "./answer_form";
import { problem } from "./problem";
import { Notice } from "./screens";

interface RoundProps {
  clock: Clock;
  help: () => void;
  over: () => void;
}

/** Updated when the verbs are changed. */
function Feedback({ reply, draft }: { reply: PracticeReply; draft: Draft }) {
  const found = isChosen(draft, reply.original.class);
  const verb = (
    <strong>
      <bdi>{reply.original.name}</bdi>
    </strong>
  );
  return (
    <div class={found ? "feedback found" : "feedback"} role="status">
      {found ? (
        <p>
          <span aria-hidden="true">✓ </span>
          {sayWith("practice.found", { verb })}
        </p>
      ) : (
        <p>{sayWith("practice.missed", { verb })}</p>
      )}
      {found && draft.chosen.length === 1 && <p>{say("practice.more")}</p>}
    </div>
  );
}

/** The practice clips with feedback on each answer. The answers are not saved. */
function Round({ tasks, clock, help, over }: RoundProps & { tasks: Task[] }) {
  const [at, setAt] = useState(0);
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [reply, setReply] = useState<PracticeReply | null>(null);
  const [notice, setNotice] = useState("");
  const [busy, setBusy] = useState(false);
  const task = tasks[at]!;
  const last = at + 1 === tasks.length;

  const attempt = async (action: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setNotice("");
    await action().catch((error: unknown) => setNotice(problem(error)));
    setBusy(false);
  };
  const send = () =>
    attempt(async () => {
      const answer = answerOf(draft, clock.milliseconds(task.task));
      setReply(await post<PracticeReply>("/api/annotator/practice", { task: task.task, answer }));
    });
  const next = () =>
    attempt(async () => {
      if (last) {
        await post("/api/annotator/practised");
        over();
        return;
      }
      clock.forget(task.task);
      setDraft(EMPTY);
      setReply(null);
      setAt(at + 1);
    });
  return (
    <AnswerForm
      task={task}
      ahead={tasks[at + 1]}
      title={say("practice.title", { number: at + 1, total: tasks.length })}
      draft={draft}
      change={setDraft}
      send={() => void send()}
      sendLabel={say("practice.check")}
      skip={() => void next()}
      help={help}
      clock={clock}
      notice={notice}
      reply={
        reply
          ? {
              content: <Feedback reply={reply} draft={draft} />,
              next: () => void next(),
              nextLabel: say(last ? "practice.end" : "practice.next"),
            }
          : undefined
      }
    />
  );
}

export function PracticeRound(props: RoundProps) {
  const [tasks, setTasks] = useState<Task[] | null>(null);
  const [failure, setFailure] = useState("");
  const load = async () => {
    setFailure("");
    try {
      const { tasks: found } = await get<Practice>("/api/annotator/practice");
      if (!found.length) {
        await post("/api/annotator/practised");
        props.over();
      } else setTasks(found);
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void load(), []);
  if (tasks) return <Round {...props} tasks={tasks} />;
  if (!failure) return <Notice title={say("practice.loading")} />;
  return (
    <Notice
      title={say("practice.failed")}
      action={{ label: say("practice.retry"), press: () => void load() }}
    >
      <p>{failure}</p>
    </Notice>
  );
}
