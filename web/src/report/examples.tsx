// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { Button } from "../common/choices";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { DASH } from "../common/format";
import { Name } from "../common/name";
import type { Palette } from "../common/palette";
import { textDrawing, type TextLine } from "../common/text_lines";
import type { Example, Experiment } from "./data";
import { RowLegend, type RowChoice, type RowFigure } from "./rows";
import { ClipVideo } from "./video";

const STEP = 4;

type Prediction = Example["predictions"][number];

const SIGNS = { right: ["✓", "correct"], wrong: ["✗", "wrong"], missed: ["○", "missed"] } as const;

/** A label with a symbol and a colour for correct, wrong or missed. */
export function Label({ kind, name, score }: { kind: keyof typeof SIGNS; name: string; score?: number }) {
  const [sign, word] = SIGNS[kind];
  return (
    <li class={`label ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">{word}: </span>
      <Name text={name} />
      {score !== undefined && <span class="score">{score.toFixed(2)}</span>}
    </li>
  );
}

const MATCHES = {
  all: ["●", "all right", "right"],
  part: ["◐", "part right", "part"],
  none: ["○", "none right", "wrong"],
  nothing: ["–", "nothing predicted", "missed"],
} as const;

/** The mark of the paper: all, a part or none of the predictions are right, or there are none. */
function Match({ match }: { match: Prediction["match"] }) {
  const [sign, word, look] = MATCHES[match];
  return (
    <span class={`match ${look}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

function PredictedRow({ prediction, title }: { prediction: Prediction; title: string }) {
  return (
    <div class="prediction">
      <h5>
        <Name text={title} /> <Match match={prediction.match} />
      </h5>
      <ul class="labels">
        {prediction.labels.map((label) => (
          <Label
            key={label.class}
            kind={label.correct ? "right" : "wrong"}
            name={label.class}
            score={label.probability}
          />
        ))}
        {prediction.missed.map((label) => (
          <Label key={label.class} kind="missed" name={label.class} score={label.probability} />
        ))}
        {prediction.more > 0 && <li class="note">and {prediction.more} more predicted</li>}
        {prediction.labels.length === 0 && prediction.missed.length === 0 && (
          <li class="note">nothing predicted</li>
        )}
      </ul>
    </div>
  );
}

function ExampleClip({ example, choice }: { example: Example; choice: RowChoice }) {
  const shown = choice.rows.flatMap((row) => {
    const prediction = example.predictions.find((each) => each.row === row.key);
    return prediction ? [{ row, prediction }] : [];
  });
  return (
    <article class="clip">
      <header>
        <h4>
          <Name text={example.clip} />
        </h4>
        <p>
          {example.truth.length ? "Ground truth: " : "No ground-truth labels."}
          {example.truth.map((name, at) => (
            <span key={at}>
              {at > 0 && ", "}
              <Name text={name} />
            </span>
          ))}
        </p>
        <ClipVideo video={example.video} label={`Clip ${example.clip}`} />
      </header>
      <div class="predictions">
        {shown.map(({ row, prediction }) => (
          <PredictedRow key={row.key} prediction={prediction} title={row.title} />
        ))}
        {shown.length === 0 && <p class="note">No selected row has predictions for this clip.</p>}
      </div>
    </article>
  );
}

const COLOURS: Record<Prediction["match"], (palette: Palette) => string> = {
  all: (palette) => palette.good,
  part: (palette) => palette.part,
  none: (palette) => palette.bad,
  nothing: (palette) => palette.muted,
};
const MOST_IN_FILE = 5;

/** As in the paper: each clip with its ground truth, then the first predictions of each row in the colour of its mark. */
function exampleLines(experiment: Experiment, choice: RowChoice): TextLine[] {
  return experiment.examples.flatMap((example) => [
    { head: example.clip, text: example.truth.join(", "), strong: true },
    ...choice.rows.flatMap((row): TextLine[] => {
      const prediction = example.predictions.find((each) => each.row === row.key);
      if (!prediction) return [];
      const shown = prediction.labels.slice(0, MOST_IN_FILE).map((label) => label.class);
      const more = prediction.labels.length + prediction.more - shown.length;
      const text = shown.join(", ") || DASH;
      return [
        {
          head: row.title,
          text: more > 0 ? `${text} … ${more} more` : text,
          colour: COLOURS[prediction.match],
        },
      ];
    }),
    { head: "", text: "" },
  ]);
}

function exampleTable(experiment: Experiment): Table {
  const title = (key: string) => experiment.rows.find((row) => row.key === key)?.title ?? key;
  const rows = experiment.examples.flatMap((example) =>
    example.predictions.flatMap((prediction) => [
      ...prediction.labels.map((label) => [
        example.clip,
        title(prediction.row),
        label.class,
        label.correct ? "correct" : "wrong",
        label.probability,
        prediction.match,
      ]),
      ...prediction.missed.map((label) => [
        example.clip,
        title(prediction.row),
        label.class,
        "missed",
        label.probability,
        prediction.match,
      ]),
    ]),
  );
  return { columns: ["clip", "row", "class", "outcome", "probability", "match"], rows };
}

/** The predictions of each row for example test clips. */
export function Examples({ id, source, experiment, choice }: RowFigure) {
  const [number, setNumber] = useState(STEP);
  return (
    <Figure
      id={id}
      title="Example clips"
      source={source}
      how="Predictions above 0.5 of the first run of each row, with probabilities. ✓: correct; ✗: wrong; ○: ground-truth label
        that was missed. The mark beside a row: all right (exactly the ground truth), part right, none right, as in the paper."
      controls={<RowLegend experiment={experiment} choice={choice} />}
      savedPanels={() => [
        { key: "examples", title: "", draw: textDrawing(exampleLines(experiment, choice), "Example clips") },
      ]}
      table={() => exampleTable(experiment)}
    >
      {experiment.examples.slice(0, number).map((example, at) => (
        <ExampleClip key={at} example={example} choice={choice} />
      ))}
      {experiment.examples.length > number && (
        <div class="more">
          <Button press={() => setNumber(number + 2 * STEP)}>Show more clips</Button>
          <span class="note">
            {number} of {experiment.examples.length}
          </span>
        </div>
      )}
    </Figure>
  );
}
