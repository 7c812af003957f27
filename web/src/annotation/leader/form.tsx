// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { problem, HttpError } from "../client";
import { useSecondsUntil } from "../countdown";

interface FieldProps {
  label: string;
  type: "text" | "password" | "number";
  value: string;
  change: (value: string) => void;
  /** Explanation below the label. */
  note?: ComponentChildren;
  /** Error message for the value. */
  error?: string;
  autoComplete?: string;
  unit?: string;
  /** Focused when the form is shown. */
  first?: boolean;
}

/** An input field with label, note and error message. */
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
  /** The label of the button. */
  label: string;
  /** A field is invalid, so the form cannot be sent. */
  invalid?: boolean;
  /** Called on every attempt to send, to show errors. */
  tried?: () => void;
  /** Shows a button beside the other one, in dialogs. */
  cancel?: () => void;
  children: ComponentChildren;
}

/** A form with a submit button. Shows errors of the server and waits as long as it requests. */
export function Form({ submit, label, invalid, tried, cancel, children }: FormProps) {
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
      if (error instanceof HttpError) setFree(Date.now() + 1000 * error.wait);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      {children}
      <p class="error" role="alert">
        {failure}
      </p>
      <div class="actions">
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <button type="submit" class="primary" disabled={busy || wait > 0}>
          {wait > 0 ? `Wait ${wait} s` : label}
        </button>
      </div>
    </form>
  );
}
