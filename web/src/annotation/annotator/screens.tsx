// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Progress } from "../api";
import { plural } from "../../common/format";
import { KeyButton, useKeys } from "./key_button";

/** The main button. It is focused from the start, so that Enter presses it. */
export function PrimaryButton({ label, press }: { label: string; press: () => void }) {
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
  action?: { label: string; press: () => void };
  /** Opens earlier answers, if there are any. */
  back?: () => void;
  children?: ComponentChildren;
}

/** A screen with a single message. */
export function Notice({ title, action, back, children }: NoticeProps) {
  useKeys(({ kind }) => kind === "back" && back?.());
  return (
    <section class="notice">
      <div role="status">
        <h1>{title}</h1>
        {children}
      </div>
      {action && <PrimaryButton {...action} />}
      {back && (
        <KeyButton class="quiet" cap="Backspace" press={back}>
          Correct earlier answers
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
    <Notice
      title="Other people are answering the last clips"
      action={{ label: "Check now", press: look }}
      back={back}
    >
      <p>
        Some of them may still be assigned to you. Keep this page open: it checks every few seconds and
        continues automatically.
      </p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}

export function Paused({ look }: Pick<IdleProps, "look">) {
  return (
    <Notice title="Paused" action={{ label: "Check now", press: look }}>
      <p>
        The leader has paused your work. Your answers are saved. Come back later with the same link, or keep
        this page open: it continues automatically.
      </p>
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
    <Notice title={`Thank you, ${name}!`} action={{ label: "Check for more clips", press: look }} back={back}>
      <p>
        You answered {plural(progress.done, "clip")}, and all answers are saved. There are no more clips for
        you: you can close this page.
      </p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}
