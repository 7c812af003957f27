// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { problem, Refused } from "../client";
import { useSecondsUntil } from "../countdown";

interface FieldProps {
  label: string;
  type: "text" | "password" | "number";
  value: string;
  change: (value: string) => void;
  /** Says more about what to enter. */
  note?: ComponentChildren;
  /** What is wrong with the value. */
  error?: string;
  autoComplete?: string;
  unit?: string;
  /** Has the focus from the start. */
  first?: boolean;
}

/** A field with its label above, and below what is wrong with it. */
export function Field({ label, type, value, change, note, error, autoComplete, unit, first }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (first) input.current!.focus();
  }, []);
  return (
    <div class="entry">
      <label for={id}>{label}</label>
      {note && (
        <p class="note" id={`${id}-note`}>
          {note}
        </p>
      )}
      <span class="with-unit">
        <input
          ref={input}
          id={id}
          type={type === "number" ? "text" : type}
          inputMode={type === "number" ? "decimal" : undefined}
          class={type}
          value={value}
          autoComplete={autoComplete ?? "off"}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-note ${id}-error`}
          onInput={(event) => change(event.currentTarget.value)}
        />
        {unit}
      </span>
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    </div>
  );
}

interface FormProps {
  submit: () => Promise<void>;
  /** What the button says. */
  label: string;
  /** Something is wrong with a field, so that there is nothing to send yet. */
  invalid?: boolean;
  /** Told when somebody tries to send, so that faults are shown. */
  tried?: () => void;
  children: ComponentChildren;
}

/** Fields and the button that sends them; says what the server says, and waits as long as it asks. */
export function Form({ submit, label, invalid, tried, children }: FormProps) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const [free, setFree] = useState(0);
  const wait = useSecondsUntil(free);
  const send = async (event: Event) => {
    event.preventDefault();
    tried?.();
    if (busy || invalid || wait > 0) return;
    setBusy(true);
    setFailure("");
    try {
      await submit();
    } catch (error) {
      setFailure(problem(error));
      if (error instanceof Refused) setFree(Date.now() + 1000 * error.wait);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      {children}
      <p class="error" role="alert">
        {failure}
      </p>
      <button type="submit" class="primary" disabled={busy || wait > 0}>
        {wait > 0 ? `Wait ${wait} s` : label}
      </button>
    </form>
  );
}
