// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Progress } from "../api";
import { plural } from "../../common/format";

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
  children?: ComponentChildren;
}

/** A screen that says one thing. */
export function Notice({ title, action, children }: NoticeProps) {
  return (
    <section class="notice" role="status">
      <h1>{title}</h1>
      {children}
      {action && <Onward {...action} />}
    </section>
  );
}

export function Waiting({ look }: { look: () => void }) {
  return (
    <Notice title="Others are at the last clips" action={{ label: "Look now", press: look }}>
      <p>
        Some of them may still come to you. Keep this page open: it looks every few seconds and goes on by
        itself.
      </p>
    </Notice>
  );
}

export function Paused({ look }: { look: () => void }) {
  return (
    <Notice title="A pause" action={{ label: "Look now", press: look }}>
      <p>
        Whoever leads the work has paused it for you. Your answers are saved. Come back later with the same
        link, or keep this page open: it goes on by itself.
      </p>
    </Notice>
  );
}

export function Thanks({ name, progress, look }: { name: string; progress: Progress; look: () => void }) {
  return (
    <Notice title={`Thank you, ${name}!`} action={{ label: "Look for more", press: look }}>
      <p>
        You answered {plural(progress.done, "clip")}, and all of it is saved. There is nothing left for you to
        do: you can close this page.
      </p>
    </Notice>
  );
}
