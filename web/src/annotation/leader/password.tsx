// SPDX-License-Identifier: MIT
import { Field } from "./form";

const SHORTEST = 8;

function tooShort(password: string): string {
  return password.length < SHORTEST ? `Enter at least ${SHORTEST} characters.` : "";
}

function different(password: string, again: string): string {
  return again !== password ? "The passwords are different." : "";
}

/** Why a new password cannot be set; empty if it can. */
export function passwordFault(password: string, again: string): string {
  return tooShort(password) || different(password, again);
}

interface NewPasswordProps {
  password: string;
  again: string;
  change: (password: string) => void;
  changeAgain: (again: string) => void;
  /** Whether to show errors. */
  tried: boolean;
  /** Focused when the form is shown. */
  first?: boolean;
  label?: string;
}

/** A new password, entered twice. */
export function NewPassword({
  password,
  again,
  change,
  changeAgain,
  tried,
  first,
  label = "Password",
}: NewPasswordProps) {
  return (
    <>
      <Field
        label={label}
        first={first}
        type="password"
        autoComplete="new-password"
        value={password}
        change={change}
        error={tried ? tooShort(password) : ""}
      />
      <Field
        label={`Repeat the ${label.toLowerCase()}`}
        type="password"
        autoComplete="new-password"
        value={again}
        change={changeAgain}
        error={tried ? different(password, again) : ""}
      />
    </>
  );
}
