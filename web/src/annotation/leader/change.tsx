// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { plural, shortened } from "../../common/format";
import type { Invited, Person } from "../api";
import { post, problem } from "../client";
import { Dialog } from "../dialog";

export type Change = "pause" | "resume" | "exclude" | "readmit" | "link";

interface Words {
  button: string;
  title: (name: string) => string;
  /** What it will do. */
  effect: (person: Person) => string;
}

export const CHANGES: Record<Change, Words> = {
  pause: {
    button: "Pause",
    title: (name) => `Pause ${name}?`,
    effect: () =>
      "This person is told to come back later and gets no clips. Clips in hand go to others. Answers given so far stay and count.",
  },
  resume: {
    button: "Resume",
    title: (name) => `Let ${name} go on?`,
    effect: () => "This person gets clips again.",
  },
  exclude: {
    button: "Exclude",
    title: (name) => `Exclude ${name}?`,
    effect: ({ answers }) =>
      `This person cannot go on. ${answers ? `${plural(answers, "answer").replace(/^one/, "One")} no longer ${answers === 1 ? "counts" : "count"}, and other people are asked instead. ` : ""}Nothing is deleted: you can take this person back, and the answers count again.`,
  },
  readmit: {
    button: "Take back",
    title: (name) => `Take ${name} back?`,
    effect: ({ answers }) =>
      `${answers ? "The answers count again, and this" : "This"} person gets clips again.`,
  },
  link: {
    button: "New link",
    title: (name) => `A new link for ${name}?`,
    effect: () => "The old link ends at once, also where it is open now. You get a new one to send.",
  },
};

const STATE_AFTER: Partial<Record<Change, Person["state"]>> = {
  pause: "paused",
  resume: "active",
  exclude: "excluded",
  readmit: "active",
};

/** What can be done with a person as things stand. */
export function changesOf({ state }: Person): Change[] {
  if (state === "active") return ["pause", "exclude", "link"];
  if (state === "paused") return ["resume", "exclude", "link"];
  return ["readmit"];
}

interface ChangeDialogProps {
  change: Change;
  person: Person;
  close: () => void;
  /** With the new link, where there is one. */
  done: (invited: Invited | null) => void;
}

/** Says what a change will do before it is done. */
export function ChangeDialog({ change, person, close, done }: ChangeDialogProps) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const words = CHANGES[change];
  const go = async () => {
    setBusy(true);
    setFailure("");
    try {
      const address = `/api/leader/people/${person.id}`;
      if (change === "link") done(await post<Invited>(`${address}/link`));
      else {
        await post<Person>(address, { state: STATE_AFTER[change] });
        done(null);
      }
    } catch (error) {
      setFailure(problem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.title(shortened(person.name, 60))} close={close}>
      <p>{words.effect(person)}</p>
      <p class="error" role="alert">
        {failure}
      </p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={busy} onClick={() => void go()}>
          {words.button}
        </button>
      </div>
    </Dialog>
  );
}
