// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: [T, string][];
  choose: (value: T) => void;
}

/** A choice between a few options as radio buttons. */
export function Radios<T extends string>({ label, value, options, choose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset class="radios">
      <legend>{label}</legend>
      {options.map(([option, title]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => choose(option)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A choice between many options as a drop-down list. */
export function Select<T extends string>({ label, value, options, choose }: ChoiceProps<T>) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value as T)}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Button({
  press,
  children,
  disabled,
}: {
  press: () => void;
  children: ComponentChildren;
  disabled?: boolean;
}) {
  return (
    <button type="button" disabled={disabled} onClick={press}>
      {children}
    </button>
  );
}
