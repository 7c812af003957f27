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

/**
 * The practice clips with feedback on each answer; `open` are those without an answer. The answers are not saved.
 * A clip that does not play comes again at the end.
 */
function Round({ tasks, open, clock, help, over }: RoundProps & { tasks: Task[]; open: Task[] }) {
  const [todo, setTodo] = useState(open);
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [reply, setReply] = useState<PracticeReply | null>(null);
  const [notice, setNotice] = useState("");
  const [busy, setBusy] = useState(false);
  const task = todo[0]!;
  const last = todo.length === 1;

  const attempt = async (action: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setNotice("");
    await action().catch((error: unknown) => setNotice(problem(error)));
    setBusy(false);
  };
  const show = (next: Task[]) => {
    clock.forget(task.task);
    setDraft(EMPTY);
    setReply(null);
    setTodo(next);
  };
  const send = () =>
    attempt(async () => {
      const answer = answerOf(draft, clock.milliseconds(task.task));
      setReply(await post<PracticeReply>("/api/annotator/practice", { task: task.task, answer }));
    });
  const next = () =>
    attempt(async () => {
      if (!last) return show(todo.slice(1));
      await post("/api/annotator/practised");
      over();
    });
  const skip = () => {
    if (last) setNotice(say("practice.stuck"));
    else show([...todo.slice(1), task]);
  };
  return (
    <AnswerForm
      task={task}
      ahead={todo[1]}
      title={say("practice.title", { number: tasks.indexOf(task) + 1, total: tasks.length })}
      draft={draft}
      change={setDraft}
      send={() => void send()}
      sendLabel={say("practice.check")}
      skip={skip}
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
  const [practice, setPractice] = useState<Practice | null>(null);
  const [failure, setFailure] = useState("");
  const open = practice?.tasks.filter(({ task }) => !practice.answered.includes(task));
  const load = async () => {
    setFailure("");
    try {
      const found = await get<Practice>("/api/annotator/practice");
      if (found.tasks.some(({ task }) => !found.answered.includes(task))) return setPractice(found);
      await post("/api/annotator/practised");
      props.over();
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void load(), []);
  if (practice && open) return <Round {...props} tasks={practice.tasks} open={open} />;
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
