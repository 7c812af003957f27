// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { plural, shortened } from "../../common/format";
import type { Invited, Person } from "../api";
import { post, problem } from "../client";
import { Dialog } from "../dialog";

export type Change = "pause" | "resume" | "exclude" | "readmit" | "practice" | "link";

interface Words {
  button: string;
  title: (name: string) => string;
  /** The effect of the change. */
  effect: (person: Person) => string;
}

export const CHANGES: Record<Change, Words> = {
  pause: {
    button: "Pause",
    title: (name) => `Pause ${name}?`,
    effect: () =>
      "This person gets no clips and is asked to come back later. Assigned clips go to others. Answers so far still count.",
  },
  resume: {
    button: "Resume",
    title: (name) => `Resume ${name}?`,
    effect: () => "This person gets clips again.",
  },
  exclude: {
    button: "Exclude",
    title: (name) => `Exclude ${name}?`,
    effect: ({ answers }) =>
      `This person can no longer annotate. ${answers ? `${plural(answers, "answer").replace(/^one/, "One")} no longer ${answers === 1 ? "counts" : "count"}, and the clips go to other people. ` : ""}Nothing is deleted: if you include this person again, the answers count again.`,
  },
  readmit: {
    button: "Include again",
    title: (name) => `Include ${name} again?`,
    effect: ({ answers }) =>
      `${answers ? "The answers count again, and this" : "This"} person gets clips again.`,
  },
  practice: {
    button: "End practice",
    title: (name) => `End the practice of ${name}?`,
    effect: () =>
      "This person gets clips without answering the remaining practice clips. Use it if a practice clip does not play for them.",
  },
  link: {
    button: "New link",
    title: (name) => `Create a new link for ${name}?`,
    effect: () => "The old link becomes invalid at once, also in open pages. You get a new one to send.",
  },
};

const STATE_AFTER: Partial<Record<Change, Person["state"]>> = {
  pause: "paused",
  resume: "active",
  exclude: "excluded",
  readmit: "active",
};

/** The possible changes of a person. */
export function changesOf({ state, practised, last_seen }: Person): Change[] {
  if (state === "active" && last_seen !== null && !practised) return ["practice", "pause", "exclude", "link"];
  if (state === "active") return ["pause", "exclude", "link"];
  if (state === "paused") return ["resume", "exclude", "link"];
  return ["readmit"];
}

interface ChangeDialogProps {
  change: Change;
  person: Person;
  close: () => void;
  /** Called with the new link, if there is one. */
  done: (invited: Invited | null) => void;
}

/** Shows the effect of a change and asks for confirmation. */
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
      else if (change === "practice") {
        await post<Person>(`${address}/practised`);
        done(null);
      } else {
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
