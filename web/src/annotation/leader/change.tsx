// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

import { plural, shortened } from "../../common/format";
import type { Invited, Person } from "../api";
import { post, problem } from "../client";
import { Dialog } from "../dialog";
import { Field, Form } from "./form";
import { nameFault } from "./name_list";

export type Change = "pause" | "resume" | "exclude" | "readmit" | "practice" | "link" | "rename" | "remove";

/** The label of the button, and in short what it does. */
const CHANGES: Record<Change, { label: string; note: string }> = {
  pause: { label: "Pause", note: "No clips for now. The answers count." },
  resume: { label: "Resume", note: "Clips again." },
  exclude: { label: "Exclude", note: "No clips, and the answers do not count. Can be undone." },
  readmit: { label: "Include again", note: "Clips again, and the answers count again." },
  practice: { label: "End practice", note: "Clips without the rest of the practice." },
  link: { label: "New link", note: "For another device, or if the link got lost." },
  rename: { label: "Rename", note: "Link, devices and answers stay." },
  remove: { label: "Remove", note: "For good, with or without the answers." },
};

/** Changes that need nothing but a confirmation. */
type Simple = Exclude<Change, "link" | "rename" | "remove">;

interface Words {
  title: (name: string) => string;
  /** The effect of the change. */
  effect: (person: Person) => string;
}

const SIMPLE: Record<Simple, Words> = {
  pause: {
    title: (name) => `Pause ${name}?`,
    effect: () =>
      "This person gets no clips and is asked to come back later. Assigned clips go to others. Answers so far still count.",
  },
  resume: {
    title: (name) => `Resume ${name}?`,
    effect: () => "This person gets clips again.",
  },
  exclude: {
    title: (name) => `Exclude ${name}?`,
    effect: ({ answers }) =>
      `This person can no longer annotate. ${answers ? `${plural(answers, "answer").replace(/^one/, "One")} no longer ${answers === 1 ? "counts" : "count"}, and the clips go to other people. ` : ""}Nothing is deleted: if you include this person again, the answers count again.`,
  },
  readmit: {
    title: (name) => `Include ${name} again?`,
    effect: ({ answers }) =>
      `${answers ? "The answers count again, and this" : "This"} person gets clips again.`,
  },
  practice: {
    title: (name) => `End the practice of ${name}?`,
    effect: () =>
      "This person gets clips without answering the remaining practice clips. Use it if a practice clip does not play for them.",
  },
};

const STATE_AFTER: Partial<Record<Change, Person["state"]>> = {
  pause: "paused",
  resume: "active",
  exclude: "excluded",
  readmit: "active",
};

/** The possible changes of a person. */
function changesOf({ state, practised, last_seen }: Person): Change[] {
  const always: Change[] = ["rename", "remove"];
  if (state === "excluded") return ["readmit", ...always];
  const practising = state === "active" && last_seen !== null && !practised;
  return [
    ...(practising ? (["practice"] as const) : []),
    state === "active" ? "pause" : "resume",
    "exclude",
    "link",
    ...always,
  ];
}

interface ChangesDialogProps {
  person: Person;
  close: () => void;
  choose: (change: Change) => void;
}

/** Everything that can be done with a person. */
export function ChangesDialog({ person, close, choose }: ChangesDialogProps) {
  return (
    <Dialog title={shortened(person.name, 60)} close={close}>
      <ul class="exports">
        {changesOf(person).map((change) => (
          <li key={change}>
            <button type="button" onClick={() => choose(change)}>
              {CHANGES[change].label}
            </button>
            <span class="note">{CHANGES[change].note}</span>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** Of the button that does it. */
  label: string;
  close: () => void;
  go: () => Promise<void>;
  /** Something is not chosen or entered yet. */
  incomplete?: boolean;
  /** What is done cannot be undone. */
  dangerous?: boolean;
  /** The effect. */
  children: ComponentChildren;
}

/** Shows the effect of an action and asks for confirmation. */
export function Confirm({ title, label, close, go, incomplete, dangerous, children }: ConfirmProps) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const attempt = async () => {
    setBusy(true);
    setFailure("");
    try {
      await go();
    } catch (error) {
      setFailure(problem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      {children}
      <p class="error" role="alert">
        {failure}
      </p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class={dangerous ? "primary dangerous" : "primary"}
          disabled={busy || incomplete}
          onClick={() => void attempt()}
        >
          {label}
        </button>
      </div>
    </Dialog>
  );
}

interface Choice<Value> {
  value: Value;
  label: string;
  /** What it means. */
  note: string;
}

interface ChoicesProps<Value> {
  title: string;
  choices: Choice<Value>[];
  chosen: Value | null;
  choose: (value: Value) => void;
}

/** One of several possibilities, each with its effect. */
function Choices<Value extends string>({ title, choices, chosen, choose }: ChoicesProps<Value>) {
  const id = useId();
  return (
    <fieldset class="possibilities">
      <legend class="hidden">{title}</legend>
      {choices.map(({ value, label, note }) => (
        <label key={value}>
          <input
            type="radio"
            name={id}
            checked={value === chosen}
            aria-describedby={`${id}-${value}`}
            onChange={() => choose(value)}
          />
          <span>
            {label}
            <span class="note" id={`${id}-${value}`}>
              {note}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ChangeDialogProps {
  person: Person;
  close: () => void;
  /** Called with the new link, if there is one. */
  done: (invited: Invited | null) => void;
}

const addressOf = ({ id }: Person) => `/api/leader/people/${id}`;
const nameOf = ({ name }: Person) => shortened(name, 60);

function NewLink({ person, close, done }: ChangeDialogProps) {
  const [purpose, setPurpose] = useState<"device" | "sign_out">("device");
  const { devices } = person;
  const signedIn = devices === 1 ? "one device is signed in" : `${devices} devices are signed in`;
  return (
    <Confirm
      title={`Create a new link for ${nameOf(person)}?`}
      label={CHANGES.link.label}
      close={close}
      go={async () =>
        done(await post<Invited>(`${addressOf(person)}/link`, { sign_out: purpose === "sign_out" }))
      }
    >
      <p>
        {devices ? `Now ${signedIn}. ` : "No device is signed in. "}
        {person.link === "open" && "The link from before becomes invalid."}
      </p>
      {devices > 0 && (
        <Choices
          title="What the link is for"
          chosen={purpose}
          choose={setPurpose}
          choices={[
            {
              value: "device",
              label: "For another device",
              note: "Devices that are signed in stay signed in.",
            },
            {
              value: "sign_out",
              label: "Sign out all devices",
              note: "Use it if a link or a device got into the wrong hands. Unsent answers are sent when the person signs in again there.",
            },
          ]}
        />
      )}
    </Confirm>
  );
}

function Rename({ person, close, done }: ChangeDialogProps) {
  const [name, setName] = useState(person.name);
  const [tried, setTried] = useState(false);
  const fault = nameFault(name);
  return (
    <Dialog title={`Rename ${nameOf(person)}`} close={close}>
      <Form
        label={CHANGES.rename.label}
        invalid={fault !== ""}
        tried={() => setTried(true)}
        cancel={close}
        submit={async () => {
          await post<Person>(`${addressOf(person)}/name`, { name: name.trim() });
          done(null);
        }}
      >
        <Field
          label="New name"
          type="text"
          first
          value={name}
          change={setName}
          error={tried ? fault : ""}
          note="Link, devices and answers stay. The log keeps the old name."
        />
      </Form>
    </Dialog>
  );
}

/** What must be typed before answers are deleted. */
const DELETE = "delete";
const LOST =
  "All answers, comments, reports and practice of this person are lost for ever, and their clips go to other people. Only a backup can bring them back.";

function Remove({ person, close, done }: ChangeDialogProps) {
  // Answers of excluded people do not count, so there is nothing to keep.
  const excluded = person.state === "excluded";
  const [answers, setAnswers] = useState<"keep" | "delete">(excluded ? "delete" : "keep");
  const [typed, setTyped] = useState("");
  const deleting = answers === "delete";
  const number = person.answers ? plural(person.answers, "answer") : "no answers";
  const go = async () => {
    await post(`${addressOf(person)}/remove`, { answers });
    done(null);
  };
  return (
    <Confirm
      title={`Remove ${nameOf(person)}?`}
      label={deleting ? "Delete for ever" : CHANGES.remove.label}
      close={close}
      incomplete={deleting && typed.trim().toLowerCase() !== DELETE}
      dangerous={deleting}
      go={go}
    >
      <p>
        This person is signed out on all devices, and their link becomes invalid. This cannot be undone.{" "}
        {!excluded && "To stop somebody for a while, pause or exclude them instead. "}
        They have given {number}.
      </p>
      {excluded ? (
        <p class="removal">
          Their answers do not count, because the person is excluded. So they are deleted, too: {LOST} To keep
          the answers, include the person again first.
        </p>
      ) : (
        <Choices
          title="What happens to the answers"
          chosen={answers}
          choose={setAnswers}
          choices={[
            {
              value: "keep",
              label: "Keep the answers",
              note: `They count as before, under the name “former annotator ${person.id}”. The name itself is deleted, except in the log.`,
            },
            { value: "delete", label: "Delete the answers, too", note: LOST },
          ]}
        />
      )}
      {deleting && (
        <Field label={`Type “${DELETE}” to confirm`} type="text" value={typed} change={setTyped} />
      )}
    </Confirm>
  );
}

/** Shows the effect of a change of a person, and asks for confirmation or what else is needed. */
export function ChangeDialog({ change, ...props }: ChangeDialogProps & { change: Change }) {
  if (change === "link") return <NewLink {...props} />;
  if (change === "rename") return <Rename {...props} />;
  if (change === "remove") return <Remove {...props} />;
  const { person, close, done } = props;
  const go = async () => {
    if (change === "practice") await post<Person>(`${addressOf(person)}/practised`);
    else await post<Person>(addressOf(person), { state: STATE_AFTER[change] });
    done(null);
  };
  return (
    <Confirm title={SIMPLE[change].title(nameOf(person))} label={CHANGES[change].label} close={close} go={go}>
      <p>{SIMPLE[change].effect(person)}</p>
    </Confirm>
  );
}
