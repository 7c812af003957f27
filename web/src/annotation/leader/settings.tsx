// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import type { Settings } from "../api";
import { post } from "../client";
import { Field, Form } from "./form";

interface Entry {
  key: keyof Settings;
  label: string;
  note: string;
  unit: string;
  least: number;
  most: number;
  whole: boolean;
  /** What a person reads and writes is so many times the setting. */
  scale: number;
}

const ENTRIES: Entry[] = [
  {
    key: "people",
    label: "People a clip needs",
    note: "Different people who answer each clip. With more than before, complete clips are given out again.",
    unit: "people",
    least: 1,
    most: 100,
    whole: true,
    scale: 1,
  },
  {
    key: "hold_minutes",
    label: "How long a clip waits for a person",
    note: "After so long without a word from somebody, clips in that person’s hands go to others.",
    unit: "minutes",
    least: 1,
    most: 1440,
    whole: true,
    scale: 1,
  },
  {
    key: "least_found",
    label: "Warn below this share of original labels found",
    note: "The label that a clip carried before stands among the verbs, unmarked. Who watches closely mostly chooses it.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_verbs",
    label: "Warn below so many verbs per clip",
    note: "On average, over all answers of a person; “Nothing happens here” counts as no verb.",
    unit: "verbs",
    least: 0,
    most: 11,
    whole: false,
    scale: 1,
  },
  {
    key: "most_chosen",
    label: "Warn above this share of the verbs offered",
    note: "On average, over all answers of a person. Who chooses nearly everything says nothing.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_seconds",
    label: "Warn below so many seconds per clip",
    note: "The median over all answers of a person, from the first picture to sending.",
    unit: "seconds",
    least: 0,
    most: 3600,
    whole: false,
    scale: 1,
  },
  {
    key: "most_same_keys",
    label: "Warn above this share of answers with the same keys",
    note: "Verbs stand in another order on every clip, so that nobody has a reason to press the same keys.",
    unit: "%",
    least: 0,
    most: 100,
    whole: false,
    scale: 100,
  },
  {
    key: "least_agreement",
    label: "Warn below this κ with others",
    note: "1 is full agreement with the others on the same clips, 0 what chance would give.",
    unit: "",
    least: 0,
    most: 1,
    whole: false,
    scale: 1,
  },
];

type Texts = Record<keyof Settings, string>;

function textsOf(settings: Settings): Texts {
  const text = ({ key, scale }: Entry) =>
    [key, String(Number((settings[key] * scale).toPrecision(6)))] as const;
  return Object.fromEntries(ENTRIES.map(text)) as Texts;
}

/** What was entered as a number; NaN where it is none. Both "1.5" and "1,5" are. */
function numberOf(text: string): number {
  return /^\s*\d+([.,]\d+)?\s*$/.test(text) ? Number(text.replace(",", ".")) : NaN;
}

function faultOf({ least, most, whole }: Entry, text: string): string {
  const number = numberOf(text);
  if (number >= least && number <= most && (!whole || Number.isInteger(number))) return "";
  return `Enter a ${whole ? "whole " : ""}number from ${least} to ${most}.`;
}

export function SettingsForm({ settings, refresh }: { settings: Settings; refresh: () => void }) {
  const [texts, setTexts] = useState(() => textsOf(settings));
  const [saved, setSaved] = useState(false);
  const entered = () =>
    Object.fromEntries(
      ENTRIES.map(({ key, scale }) => [key, numberOf(texts[key]) / scale]),
    ) as unknown as Settings;
  const save = async () => {
    setTexts(textsOf(await post<Settings>("/api/leader/settings", entered())));
    setSaved(true);
    refresh();
  };
  return (
    <section class="panel-box settings">
      <h1>Settings</h1>
      <Form
        label="Save the settings"
        invalid={ENTRIES.some((entry) => faultOf(entry, texts[entry.key]))}
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
            error={faultOf(entry, texts[entry.key])}
            change={(text) => {
              setSaved(false);
              setTexts({ ...texts, [entry.key]: text });
            }}
          />
        ))}
      </Form>
      <p role="status">{saved ? "✓ Saved" : ""}</p>
    </section>
  );
}
