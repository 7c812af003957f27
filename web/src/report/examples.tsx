// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { Button } from "../common/choices";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { Name } from "../common/name";
import type { Example, Experiment } from "./data";
import { RowLegend, type RowChoice, type RowFigure } from "./rows";
import { ClipVideo } from "./video";

const STEP = 4;

type Prediction = Example["predictions"][number];

const SIGNS = { right: ["✓", "right"], wrong: ["✗", "wrong"], missed: ["○", "missed"] } as const;

/** A label with a sign as well as a colour for what became of it. */
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

function PredictedRow({ prediction, title }: { prediction: Prediction; title: string }) {
  return (
    <div class="prediction">
      <h5>
        <Name text={title} />
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
          {example.truth.length ? "True: " : "No label is true."}
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
        {shown.length === 0 && <p class="note">No row is chosen that has predictions for this clip.</p>}
      </div>
    </article>
  );
}

function exampleTable(experiment: Experiment): Table {
  const title = (key: string) => experiment.rows.find((row) => row.key === key)?.title ?? key;
  const rows = experiment.examples.flatMap((example) =>
    example.predictions.flatMap((prediction) => [
      ...prediction.labels.map((label) => [
        example.clip,
        title(prediction.row),
        label.class,
        label.correct ? "right" : "wrong",
        label.probability,
      ]),
      ...prediction.missed.map((label) => [
        example.clip,
        title(prediction.row),
        label.class,
        "missed",
        label.probability,
      ]),
    ]),
  );
  return { columns: ["clip", "row", "class", "outcome", "probability"], rows };
}

/** What the models of each row say of a few test clips. */
export function Examples({ id, source, experiment, choice }: RowFigure) {
  const [number, setNumber] = useState(STEP);
  return (
    <Figure
      id={id}
      title="Example clips"
      source={source}
      how="What the first run of each row predicts above 0.5, with its probability. A check mark is a right label, a cross a
        wrong one, a circle in italics one that is true but was missed."
      controls={<RowLegend experiment={experiment} choice={choice} />}
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
