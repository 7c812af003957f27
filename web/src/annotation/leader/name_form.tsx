// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { Field, Form } from "./form";
import { nameFault } from "./name_list";

interface NameFormProps {
  /** Of the button. */
  label: string;
  /** Explains the name. */
  note: string;
  submit: (name: string) => Promise<void>;
}

/** Asks for the name of somebody new. */
export function NameForm({ label, note, submit }: NameFormProps) {
  const [name, setName] = useState("");
  const [tried, setTried] = useState(false);
  const fault = nameFault(name);
  return (
    <Form
      label={label}
      invalid={fault !== ""}
      tried={() => setTried(true)}
      submit={async () => {
        await submit(name.trim());
        setName("");
        setTried(false);
      }}
    >
      <Field label="Name" type="text" value={name} change={setName} error={tried ? fault : ""} note={note} />
    </Form>
  );
}
