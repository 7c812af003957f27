// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Me, Progress } from "../api";
import { say, sayCount } from "../strings/strings";
import { KeyButton, useKeys } from "./key_button";

interface Press {
  label: string;
  press: () => void;
}

/** The main button. It is focused from the start, so that Enter presses it. */
export function PrimaryButton({ label, press }: Press) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current!.focus({ preventScroll: true }), []);
  return (
    <button type="button" class="primary" ref={button} onClick={press}>
      {label}
    </button>
  );
}

interface NoticeProps {
  title: string;
  action?: Press;
  /** An alternative to the action. */
  other?: Press;
  /** Opens earlier answers, if there are any. */
  back?: () => void;
  children?: ComponentChildren;
}

/** A screen with a single message. */
export function Notice({ title, action, other, back, children }: NoticeProps) {
  useKeys(({ kind }) => kind === "back" && back?.());
  return (
    <section class="notice">
      <div role="status">
        <h1>{title}</h1>
        {children}
      </div>
      {action && <PrimaryButton {...action} />}
      {other && (
        <button type="button" class="quiet" onClick={other.press}>
          {other.label}
        </button>
      )}
      {back && (
        <KeyButton class="quiet" cap={say("key.backspace")} shortcut="Backspace" press={back}>
          {say("waiting.correct")}
        </KeyButton>
      )}
    </section>
  );
}

interface IdleProps {
  look: () => void;
  back: () => void;
  /** An additional message. */
  notice: string;
}

export function Waiting({ look, back, notice }: IdleProps) {
  return (
    <Notice title={say("waiting.title")} action={{ label: say("waiting.check"), press: look }} back={back}>
      <p>{say("waiting.text")}</p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}

export function Paused({ look, why }: Pick<IdleProps, "look"> & { why: Me["paused_for"] }) {
  return (
    <Notice title={say("paused.title")} action={{ label: say("waiting.check"), press: look }}>
      <p>{say(why === "gold" ? "paused.gold" : "paused.text")}</p>
    </Notice>
  );
}

export function Thanks({
  name,
  progress,
  look,
  back,
  notice,
}: IdleProps & { name: string; progress: Progress }) {
  return (
    <Notice
      title={say("done.title", { name })}
      action={{ label: say("done.check"), press: look }}
      back={back}
    >
      <p>{sayCount("done.text", progress.done)}</p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}

/** The leader closed the round, or this person has answered as many clips as one person should. */
export function Over({
  why,
  name,
  progress,
  look,
  back,
  notice,
}: IdleProps & { why: "closed" | "quota"; name: string; progress: Progress }) {
  return (
    <Notice
      title={say(`${why}.title`, { name })}
      action={{ label: say("waiting.check"), press: look }}
      back={progress.done ? back : undefined}
    >
      <p>
        {say(`${why}.text`)} {progress.done > 0 && sayCount("over.answers", progress.done)}
      </p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}
