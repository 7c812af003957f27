// SPDX-License-Identifier: MIT
import { useId, useState } from "preact/hooks";

import type { Settings } from "../api";
import { post } from "../client";
import { Field, Form } from "./form";

type NumberKey = Exclude<keyof Settings, "order" | "gold_pauses" | "closed" | "deadline">;

interface Entry {
  key: NumberKey;
  label: string;
  note: string;
  unit: string;
  least: number;
  most: number;
  whole: boolean;
  /** Factor from the setting to the displayed value. */
  scale: number;
  /** Shown only in projects with gold clips. */
  gold?: boolean;
}

const ENTRIES: Entry[] = [
  {
    key: "people",
    label: "People per clip",
    note: "Number of different people who answer each clip. If you increase it, complete clips are assigned again.",
    unit: "people",
    least: 1,
    most: 100,
    whole: true,
    scale: 1,
  },
  {
    key: "hold_minutes",
    label: "Time limit for assigned clips",
    note: "After this time of inactivity, the clips assigned to a person go to others.",
    unit: "minutes",
    least: 1,
    most: 1440,
    whole: true,
    scale: 1,
  },
  {
    key: "quota",
    label: "Most clips per person",
    note: "After this number of clips, a person gets no more. 0: no limit.",
    unit: "clips",
    least: 0,
    most: 1_000_000,
    whole: true,
    scale: 1,
  },
  {
    key: "link_days",
    label: "Personal links expire after",
    note: "If nobody has used them until then. Devices that are signed in stay signed in.",
    unit: "days",
    least: 1,
    most: 365,
    whole: true,
    scale: 1,
  },
  {
    key: "least_found",
    label: "Warn below this share of original labels chosen",
    note: "The original label of a clip is among the verbs, unmarked. Attentive people usually choose it.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_verbs",
    label: "Warn below this number of verbs per clip",
    note: "Mean over all answers of a person; “Nothing happens here” and “None of these verbs” count as 0 verbs.",
    unit: "verbs",
    least: 0,
    most: 11,
    whole: false,
    scale: 1,
  },
  {
    key: "most_chosen",
    label: "Warn above this share of candidates chosen",
    note: "Mean over all answers of a person. Choosing nearly all verbs carries no information.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_seconds",
    label: "Warn below this number of seconds per clip",
    note: "Median over all answers of a person, from the first frame to sending.",
    unit: "seconds",
    least: 0,
    most: 3600,
    whole: false,
    scale: 1,
  },
  {
    key: "most_same_keys",
    label: "Warn above this share of answers with the same keys",
    note: "The order of verbs differs from clip to clip, so attentive people press different keys.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_agreement",
    label: "Warn below this κ with others",
    note: "1 is perfect agreement with the others on the same clips, 0 is chance.",
    unit: "",
    least: 0,
    most: 1,
    whole: false,
    scale: 1,
  },
  {
    key: "gold_at_start",
    label: "Gold clips at the start",
    note: "Clips with known labels among the first clips of each person, which are twice as many.",
    unit: "clips",
    least: 0,
    most: 50,
    whole: true,
    scale: 1,
    gold: true,
  },
  {
    key: "gold_every",
    label: "Later, one gold clip in",
    note: "Until the person has answered all gold clips; 0 means none.",
    unit: "clips",
    least: 0,
    most: 1000,
    whole: true,
    scale: 1,
    gold: true,
  },
  {
    key: "least_gold",
    label: "Pass mark: warn below this F1 on gold clips",
    note: "Over all verbs of the answered gold clips: 2 × hits / (2 × hits + wrong + missed). 1 is perfect; somebody who chooses at random has about 0.2.",
    unit: "",
    least: 0,
    most: 1,
    whole: false,
    scale: 1,
    gold: true,
  },
  {
    key: "gold_answers",
    label: "The pass mark counts from",
    note: "With fewer answers to gold clips, nobody is warned or paused.",
    unit: "gold answers",
    least: 1,
    most: 1000,
    whole: true,
    scale: 1,
    gold: true,
  },
];

type Texts = Record<NumberKey, string>;

function textsOf(settings: Settings): Texts {
  const text = ({ key, scale }: Entry) =>
    [key, String(Number((settings[key] * scale).toPrecision(6)))] as const;
  return Object.fromEntries(ENTRIES.map(text)) as Texts;
}

/** Parses a number; NaN if it is not valid. Both "1.5" and "1,5" are. */
function numberOf(text: string): number {
  return /^\s*\d+([.,]\d+)?\s*$/.test(text) ? Number(text.replace(",", ".")) : NaN;
}

function errorOf({ least, most, whole }: Entry, text: string): string {
  const number = numberOf(text);
  if (number >= least && number <= most && (!whole || Number.isInteger(number))) return "";
  return `Enter a ${whole ? "whole " : ""}number from ${least} to ${most}.`;
}

/** "2026-01-31T15:03" in the time zone of the browser, for an input field; "" for none. */
function localTime(deadline: string | null): string {
  if (!deadline) return "";
  const time = new Date(deadline);
  return new Date(time.getTime() - 60_000 * time.getTimezoneOffset()).toISOString().slice(0, 16);
}

/** The time in an input field as "2026-01-31T14:03:00Z"; null for none. */
function deadlineIn(local: string): string | null {
  return local ? new Date(local).toISOString().replace(/\.\d+Z$/, "Z") : null;
}

interface EndProps {
  closed: boolean;
  /** As in localTime(). */
  deadline: string;
  change: (end: { closed?: boolean; deadline?: string }) => void;
}

/** When the round ends. */
function End({ closed, deadline, change }: EndProps) {
  const id = useId();
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={closed}
          onChange={(event) => change({ closed: event.currentTarget.checked })}
        />
        Close the round: no clip is assigned any more, and annotators are thanked. Answers that they are about
        to send are still saved.
      </label>
      <div class="entry">
        <label for={id}>Deadline</label>
        <p class="note" id={`${id}-note`}>
          From then on the round is closed. In the time zone of this computer; empty: none.
        </p>
        <input
          id={id}
          type="datetime-local"
          value={deadline}
          aria-describedby={`${id}-note`}
          onInput={(event) => change({ deadline: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

interface SettingsFormProps {
  settings: Settings;
  /** The number of gold clips. */
  gold: number;
  refresh: () => void;
}

export function SettingsForm({ settings, gold, refresh }: SettingsFormProps) {
  const [texts, setTexts] = useState(() => textsOf(settings));
  const [order, setOrder] = useState(settings.order);
  const [pauses, setPauses] = useState(settings.gold_pauses);
  const [closed, setClosed] = useState(settings.closed);
  const [deadline, setDeadline] = useState(() => localTime(settings.deadline));
  const [saved, setSaved] = useState(false);
  const entered = (): Settings => ({
    ...(Object.fromEntries(ENTRIES.map(({ key, scale }) => [key, numberOf(texts[key]) / scale])) as Record<
      NumberKey,
      number
    >),
    order,
    gold_pauses: pauses,
    closed,
    deadline: deadlineIn(deadline),
  });
  const save = async () => {
    const stored = await post<Settings>("/api/leader/settings", entered());
    setTexts(textsOf(stored));
    setOrder(stored.order);
    setPauses(stored.gold_pauses);
    setClosed(stored.closed);
    setDeadline(localTime(stored.deadline));
    setSaved(true);
    refresh();
  };
  return (
    <section class="panel-box settings">
      <h1>Settings</h1>
      <Form
        label="Save settings"
        invalid={ENTRIES.some((entry) => errorOf(entry, texts[entry.key]))}
        submit={save}
      >
        {ENTRIES.filter((entry) => gold > 0 || !entry.gold).map((entry) => (
          <Field
            key={entry.key}
            type="number"
            label={entry.label}
            note={entry.note}
            unit={entry.unit}
            value={texts[entry.key]}
            error={errorOf(entry, texts[entry.key])}
            change={(text) => {
              setSaved(false);
              setTexts({ ...texts, [entry.key]: text });
            }}
          />
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={order === "informative"}
            onChange={(event) => {
              setSaved(false);
              setOrder(event.currentTarget.checked ? "informative" : "complete");
            }}
          />
          Assign clips first on which another answer tells the most about the labels, instead of those with
          the most answers
        </label>
        {gold > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={pauses}
              onChange={(event) => {
                setSaved(false);
                setPauses(event.currentTarget.checked);
              }}
            />
            Pause people below the pass mark. If you resume a person, their later answers to gold clips count.
          </label>
        )}
        <End
          closed={closed}
          deadline={deadline}
          change={(end) => {
            setSaved(false);
            setClosed(end.closed ?? closed);
            setDeadline(end.deadline ?? deadline);
          }}
        />
      </Form>
      <p role="status">{saved ? "✓ Saved" : ""}</p>
    </section>
  );
}
