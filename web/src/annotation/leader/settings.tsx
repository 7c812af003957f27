// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import type { Settings } from "../api";
import { post } from "../client";
import { Field, Form } from "./form";

type NumberKey = Exclude<keyof Settings, "order">;

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
    note: "Mean over all answers of a person; “Nothing happens here” counts as 0 verbs.",
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

export function SettingsForm({ settings, refresh }: { settings: Settings; refresh: () => void }) {
  const [texts, setTexts] = useState(() => textsOf(settings));
  const [order, setOrder] = useState(settings.order);
  const [saved, setSaved] = useState(false);
  const entered = (): Settings => ({
    ...(Object.fromEntries(ENTRIES.map(({ key, scale }) => [key, numberOf(texts[key]) / scale])) as Record<
      NumberKey,
      number
    >),
    order,
  });
  const save = async () => {
    const stored = await post<Settings>("/api/leader/settings", entered());
    setTexts(textsOf(stored));
    setOrder(stored.order);
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
        {ENTRIES.map((entry) => (
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
      </Form>
      <p role="status">{saved ? "✓ Saved" : ""}</p>
    </section>
  );
}
