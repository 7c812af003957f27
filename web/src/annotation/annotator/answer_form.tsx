// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Task } from "../api";
import { say, sayCount } from "../strings/strings";
import type { Clock } from "./clock";
import { definitionOf, useGuide } from "./guide";
import { complete, isChosen, LONGEST, toggled, type Draft } from "./draft";
import { VERB_KEYS, type Action } from "./keys";
import { OwnWords } from "./own_words";
import { NO_CONTROLS, Player, type Controls } from "./player";
import { KeyButton, useKeys, useSettled } from "./key_button";

export interface AnswerFormProps {
  task: Task;
  ahead?: Task;
  /** "Clip 13", "Practice 1 of 3". */
  title: string;
  draft: Draft;
  change: (draft: Draft) => void;
  send: () => void;
  sendLabel: string;
  back?: () => void;
  /** Skips the clip if it does not play; undefined if skipping is not possible. */
  skip?: () => void;
  /** The person has seen this clip before, so the answer can be changed before it plays again. */
  seenBefore?: boolean;
  /** Cancels without sending; undefined if there is nothing to return to. */
  leave?: () => void;
  help: () => void;
  clock: Clock;
  /** The answer can be flagged and commented for the leader; practice answers cannot. */
  remarks?: boolean;
  notice?: ComponentChildren;
  /** Shown after a practice answer, instead of the buttons to send. */
  reply?: { content: ComponentChildren; next: () => void; nextLabel: string };
}

type Candidate = Task["candidates"][number];

/**
 * The actions on a draft. Each change is announced to screen readers. A clip that has not been seen cannot be
 * answered.
 */
function useAnswering(props: AnswerFormProps, seen: boolean) {
  const { task, draft, change, send, reply, remarks, title } = props;
  const [hint, setHint] = useState("");
  const [spoken, setSpoken] = useState("");
  const settled = useSettled(`${task.task} ${reply === undefined}`);
  const atFirst = useRef(draft);
  useLayoutEffect(() => {
    atFirst.current = draft;
    setHint("");
    setSpoken(sayCount("verbs.announced", task.candidates.length, { clip: title }));
  }, [task.task]);
  useLayoutEffect(() => setHint(""), [seen]);
  const update = (next: Draft, words: string) => {
    if (!seen) return setHint(say("answer.not_seen"));
    setHint("");
    setSpoken(words);
    change(next);
  };
  return {
    hint,
    spoken,
    choose: ({ class: candidate, name }: Candidate) => {
      const next = toggled(draft, candidate);
      update(next, say(isChosen(next, candidate) ? "verbs.chosen" : "verbs.not_chosen", { verb: name }));
    },
    nothing: () =>
      update(
        { ...draft, nothing: !draft.nothing, other: false },
        say(draft.nothing ? "answer.something" : "answer.nothing"),
      ),
    other: () =>
      update(
        { ...draft, other: !draft.other, nothing: false },
        say(draft.other ? "answer.not_other" : "answer.other"),
      ),
    flag: () =>
      remarks &&
      update(
        { ...draft, flagged: !draft.flagged },
        say(draft.flagged ? "answer.not_flagged" : "answer.flagged"),
      ),
    unsure: () =>
      update(
        { ...draft, confident: !draft.confident },
        say(draft.confident ? "answer.unsure" : "answer.confident"),
      ),
    send: () => {
      if (!settled() && (reply || atFirst.current === draft)) return;
      if (reply) reply.next();
      else if (!seen) setHint(say("answer.not_seen"));
      else if (complete(draft)) send();
      else setHint(say("answer.incomplete"));
    },
  };
}

interface VerbsProps {
  task: Task;
  draft: Draft;
  off: boolean;
  choose: (verb: Candidate) => void;
}

const definitionId = (verb: number) => `definition-${verb}`;

/** Screen readers read the definition of a verb after its name. */
function Verbs({ task, draft, off, choose }: VerbsProps) {
  const guide = useGuide();
  return (
    <div class="verbs" role="group" aria-label={say("verbs.group")}>
      {task.candidates.map((candidate, position) => {
        const definition = definitionOf(guide, candidate.class);
        return (
          <KeyButton
            key={candidate.class}
            class="verb"
            cap={VERB_KEYS[position] ?? ""}
            pressed={isChosen(draft, candidate.class)}
            off={off}
            tooltip={definition}
            describedBy={definition && definitionId(candidate.class)}
            press={() => choose(candidate)}
          >
            {candidate.name}
          </KeyButton>
        );
      })}
    </div>
  );
}

/** The definitions of the verbs, for people without a mouse; closed until somebody opens it. */
function Definitions({ task }: { task: Task }) {
  const guide = useGuide();
  const defined = task.candidates.filter((candidate) => definitionOf(guide, candidate.class));
  if (!defined.length) return null;
  return (
    <details class="definitions">
      <summary>{say("verbs.definitions")}</summary>
      <dl>
        {defined.map(({ class: verb, name }) => (
          <div key={verb}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd id={definitionId(verb)} dir="auto">
              {definitionOf(guide, verb)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface RestProps {
  draft: Draft;
  off: boolean;
  answering: ReturnType<typeof useAnswering>;
  /** Opens or closes the comment; undefined if the answer cannot be commented. */
  comment?: () => void;
  commenting: boolean;
  change: (draft: Draft) => void;
  leave: () => void;
}

/** What else can be said about a clip than which verbs apply. */
function Rest({ draft, off, answering, comment, commenting, change, leave }: RestProps) {
  return (
    <>
      <div class={comment ? "doubts with-remarks" : "doubts"}>
        <KeyButton class="verb" cap="N" pressed={draft.nothing} off={off} press={answering.nothing}>
          {say("answer.nothing")}
        </KeyButton>
        <KeyButton class="verb" cap="O" pressed={draft.other} off={off} press={answering.other}>
          {say("answer.other")}
        </KeyButton>
        <KeyButton class="verb" cap="U" pressed={!draft.confident} off={off} press={answering.unsure}>
          {say("answer.unsure")}
        </KeyButton>
        {comment && (
          <>
            <KeyButton
              class="verb"
              cap="M"
              tooltip={say("keys.flag")}
              pressed={draft.flagged}
              off={off}
              press={answering.flag}
            >
              {say("answer.flag")}
            </KeyButton>
            <KeyButton
              class="verb"
              cap="C"
              tooltip={say("answer.comment_label")}
              pressed={commenting}
              press={comment}
            >
              {say("answer.comment")}
            </KeyButton>
          </>
        )}
      </div>
      {draft.other && (
        <OwnWords
          label={say("answer.other_verb")}
          value={draft.other_verb}
          longest={LONGEST.other_verb}
          change={(text) => change({ ...draft, other_verb: text })}
          leave={leave}
        />
      )}
      {commenting && (
        <OwnWords
          label={say("answer.comment_label")}
          value={draft.comment}
          longest={LONGEST.comment}
          change={(text) => change({ ...draft, comment: text })}
          leave={leave}
        />
      )}
    </>
  );
}

/** The clip, its verbs and the buttons, for keyboard, touch and mouse. */
export function AnswerForm(props: AnswerFormProps) {
  const { task, draft, reply } = props;
  const [playedTask, setPlayedTask] = useState(0);
  const seen = Boolean(props.seenBefore) || playedTask === task.task;
  const answering = useAnswering(props, seen);
  const controls = useRef<Controls>(NO_CONTROLS);
  const [large, setLarge] = useState(false);
  const place = useRef<HTMLElement>(null);
  const [commentedTask, setCommentedTask] = useState(0);
  const commenting = draft.comment !== "" || commentedTask === task.task;
  /** An empty comment is closed; one with text is focused again by the person. */
  const comment = () => setCommentedTask(commenting ? 0 : task.task);
  useKeys((action: Action) => {
    if (action.kind === "verb") {
      const candidate = task.candidates[action.position];
      if (candidate) answering.choose(candidate);
    } else if (action.kind === "player") controls.current[action.control]();
    else if (action.kind === "leave" && large) setLarge(false);
    else if (action.kind === "back") reply || props.back?.();
    else if (action.kind === "leave") props.leave?.();
    else if (action.kind === "help") props.help();
    else if (action.kind === "comment") props.remarks && comment();
    else answering[action.kind]();
  });
  useLayoutEffect(() => {
    // The hint is beside the verbs.
    if (answering.hint) setLarge(false);
  }, [answering.hint]);
  useLayoutEffect(() => {
    // Keyboard navigation starts at the verbs again.
    if (place.current!.contains(document.activeElement)) place.current!.focus({ preventScroll: true });
    // The next clip may be shown before this one is hidden.
    return () => props.clock.hide(task.task);
  }, [task.task]);
  return (
    <section class="answer-form" aria-label={props.title} tabIndex={-1} ref={place}>
      <p class="hidden" role="status">
        {answering.spoken}
      </p>
      <div class="screen">
        <Player
          task={task}
          ahead={props.ahead}
          title={props.title}
          ready={() => props.clock.show(task.task)}
          plays={() => setPlayedTask(task.task)}
          skip={props.skip}
          large={large}
          setLarge={setLarge}
          controls={controls}
        />
      </div>
      <div class="choices">
        <h2>{say("verbs.title")}</h2>
        <Verbs task={task} draft={draft} off={!seen} choose={answering.choose} />
        <Rest
          key={task.task}
          draft={draft}
          off={!seen}
          answering={answering}
          comment={props.remarks ? comment : undefined}
          commenting={commenting}
          change={props.change}
          leave={() => place.current!.focus({ preventScroll: true })}
        />
        <Definitions task={task} />
        <div class="foot">
          {reply?.content}
          <div class="actions">
            {!reply && props.back && (
              <KeyButton class="quiet" cap={say("key.backspace")} shortcut="Backspace" press={props.back}>
                {say("answer.earlier")}
              </KeyButton>
            )}
            {!reply && props.leave && (
              <KeyButton class="quiet" cap={say("key.escape")} shortcut="Escape" press={props.leave}>
                {say("answer.cancel")}
              </KeyButton>
            )}
            <KeyButton
              class="primary"
              cap={say("key.enter")}
              shortcut="Enter"
              off={!seen && !reply}
              press={answering.send}
            >
              {reply ? reply.nextLabel : props.sendLabel}
            </KeyButton>
          </div>
          <p class="hint" role="alert">
            {answering.hint || props.notice}
          </p>
        </div>
      </div>
    </section>
  );
}
