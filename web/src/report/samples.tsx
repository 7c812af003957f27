// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { Button } from "../common/choices";
import { Figure } from "../common/figure";
import { Name } from "../common/name";
import { textDrawing, type TextLine } from "../common/text_lines";
import type { DataSet, Relabelled, Sample } from "./data";
import { ClipVideo } from "./video";

const STEP = 6;

function SampleClip({ sample }: { sample: Sample }) {
  return (
    <article class="sample">
      <ClipVideo video={sample.video} label={`Clip ${sample.clip}`} plays />
      <h4>
        <Name text={sample.clip} />
      </h4>
      <ul class="labels">
        <li class={`label ${sample.kept ? "original" : "missed"}`}>
          <span class="hidden">{sample.kept ? "original label: " : "original label, removed: "}</span>
          <Name text={sample.original} />
        </li>
        {sample.added.map((name) => (
          <li key={name} class="label right">
            <span aria-hidden="true">+</span>
            <span class="hidden">added label: </span>
            <Name text={name} />
          </li>
        ))}
      </ul>
    </article>
  );
}

function lines(samples: Sample[]): TextLine[] {
  return samples.flatMap((sample) => [
    { head: sample.clip, text: sample.kept ? sample.original : `${sample.original} (removed)`, strong: true },
    {
      head: "",
      text: `+ ${sample.added.join(", ")}`,
      colour: (palette) => palette.good,
    },
  ]);
}

/** Test clips with their original label and the labels that were added. */
export function Samples({
  id,
  dataset,
  relabelled,
}: {
  id: string;
  dataset: DataSet;
  relabelled: Relabelled;
}) {
  const [number, setNumber] = useState(STEP);
  const { samples } = relabelled;
  return (
    <Figure
      id={id}
      title="Original and added labels"
      source={dataset.name}
      how="Test clips with their original label (framed) and the labels that were added (+). A dashed original label was removed."
      savedPanels={() => [
        { key: "samples", title: "", draw: textDrawing(lines(samples), "Original and added labels") },
      ]}
      table={() => ({
        columns: ["clip", "original", "kept", "added"],
        rows: samples.map((each) => [
          each.clip,
          each.original,
          each.kept ? "yes" : "no",
          each.added.join(";"),
        ]),
      })}
    >
      <div class="samples">
        {samples.slice(0, number).map((sample, at) => (
          <SampleClip key={at} sample={sample} />
        ))}
      </div>
      {samples.length > number && (
        <div class="more">
          <Button press={() => setNumber(number + STEP)}>Show more clips</Button>
          <span class="note">
            {number} of {samples.length}
          </span>
        </div>
      )}
    </Figure>
  );
}
