// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Progress } from "../api";
import { plural } from "../../common/format";
import { Press, useKeys } from "./press";

/** The way on, which has the focus from the start, so that Enter presses it. */
export function Onward({ label, press }: { label: string; press: () => void }) {
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
  /** The way to earlier answers, where there may be some. */
  back?: () => void;
  children?: ComponentChildren;
}

/** A screen that says one thing. */
export function Notice({ title, action, back, children }: NoticeProps) {
  useKeys(({ kind }) => kind === "back" && back?.());
  return (
    <section class="notice">
      <div role="status">
        <h1>{title}</h1>
        {children}
      </div>
      {action && <Onward {...action} />}
      {back && (
        <Press class="quiet" cap="Backspace" press={back}>
          Mend earlier answers
        </Press>
      )}
    </section>
  );
}

interface IdleProps {
  look: () => void;
  back: () => void;
  /** Something else the person should know. */
  notice: string;
}

export function Waiting({ look, back, notice }: IdleProps) {
  return (
    <Notice title="Others are at the last clips" action={{ label: "Look now", press: look }} back={back}>
      <p>
        Some of them may still come to you. Keep this page open: it looks every few seconds and goes on by
        itself.
      </p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}

export function Paused({ look }: Pick<IdleProps, "look">) {
  return (
    <Notice title="A pause" action={{ label: "Look now", press: look }}>
      <p>
        Whoever leads the work has paused it for you. Your answers are saved. Come back later with the same
        link, or keep this page open: it goes on by itself.
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
    <Notice title={`Thank you, ${name}!`} action={{ label: "Look for more", press: look }} back={back}>
      <p>
        You answered {plural(progress.done, "clip")}, and all of it is saved. There is nothing left for you to
        do: you can close this page.
      </p>
      <p class="hint">{notice}</p>
    </Notice>
  );
}
