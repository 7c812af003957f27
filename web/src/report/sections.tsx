// SPDX-License-Identifier: MIT
//
// The sections of the report in order, for the table of contents and the page.
import type { ComponentChildren } from "preact";

import { Boundary } from "../common/boundary";
import { count, duration, plural } from "../common/format";
import { Name } from "../common/name";
import { CoOccurrenceMatrix } from "./cooccurrence";
import { Curves } from "./curves";
import type { DataSet, Experiment, Report } from "./data";
import { Distribution, RelabelledDistribution } from "./distribution";
import { Examples } from "./examples";
import { HeatMap } from "./heat_map";
import { LabelsPerClip } from "./labels_per_clip";
import { PredictedLabels } from "./predicted_labels";
import { PseudoLabelBrowser } from "./pseudo_labels";
import { ResultTable } from "./result_table";
import { useRowChoice } from "./rows";
import { Samples } from "./samples";
import { Thresholds } from "./thresholds";

export interface Section {
  id: string;
  title: string;
  /** Its charts for the table of contents: id and title. */
  parts: [string, string][];
  Body: () => ComponentChildren;
}

const KINDS: Record<Experiment["kind"], string> = {
  compare: "Comparison of losses",
  ablate: "Ablation: source of pseudo-labels",
  sweep: "Sweep over K and τ",
};

function experimentTitle({ kind, from }: Experiment): string {
  return from === "clips" ? `${KINDS[kind]}, end to end` : KINDS[kind];
}

/** The charts of an experiment that have data. */
function experimentParts(id: string, experiment: Experiment): [string, string][] {
  const has = {
    table: experiment.rows.length > 0,
    map: experiment.grid !== null && experiment.rows.length > 0 && experiment.metrics.length > 0,
    labels: experiment.rows.some((row) => row.cells.predicted_labels?.mean != null),
    thresholds: experiment.thresholds.some((curve) => curve.threshold.length > 0),
    curves: experiment.runs.some((run) => run.curve !== null && run.curve.epoch.length > 0),
    examples: experiment.examples.length > 0,
  };
  const titles: [keyof typeof has, string][] = [
    ["table", "Results"],
    ["map", "K and τ"],
    ["labels", "Predicted labels"],
    ["thresholds", "Thresholds"],
    ["curves", "Training curves"],
    ["examples", "Example clips"],
  ];
  return titles.filter(([part]) => has[part]).map(([part, title]) => [`${id}-${part}`, title]);
}

function ExperimentBody({
  id,
  experiment,
  datasets,
}: {
  id: string;
  experiment: Experiment;
  datasets: DataSet[];
}) {
  const choice = useRowChoice(experiment);
  const parts = new Set(experimentParts(id, experiment).map(([part]) => part));
  const source = `${datasets.map((each) => each.name).join(" ")} ${experiment.name}`;
  const props = (part: string) => ({ id: `${id}-${part}`, source, experiment, choice });
  const has = (part: string) => parts.has(`${id}-${part}`);
  const seconds = experiment.runs.reduce((sum, run) => sum + (run.seconds ?? 0), 0);
  return (
    <>
      <p class="facts">
        <Name text={experiment.name} />: {plural(experiment.runs.length, "run")}
        {seconds > 0 && `, training time ${duration(seconds)}`}
        {datasets.length > 0 && ", on "}
        {datasets.map((each, at) => (
          <span key={at}>
            {at > 0 && ", "}
            <Name text={each.name} />
          </span>
        ))}
      </p>
      {experiment.command && (
        <pre class="command" tabIndex={0} aria-label="Command of this experiment">
          {experiment.command}
        </pre>
      )}
      {has("table") ? (
        <Boundary>
          <ResultTable {...props("table")} />
        </Boundary>
      ) : (
        <p class="note">No results yet.</p>
      )}
      {has("map") && (
        <Boundary>
          <HeatMap {...props("map")} />
        </Boundary>
      )}
      {has("labels") && (
        <Boundary>
          <PredictedLabels {...props("labels")} />
        </Boundary>
      )}
      {has("thresholds") && (
        <Boundary>
          <Thresholds {...props("thresholds")} />
        </Boundary>
      )}
      {has("curves") ? (
        <Boundary>
          <Curves {...props("curves")} />
        </Boundary>
      ) : (
        experiment.runs.length > 0 && <p class="note">No run has a training curve.</p>
      )}
      {has("examples") && (
        <Boundary>
          <Examples {...props("examples")} />
        </Boundary>
      )}
    </>
  );
}

function datasetParts(id: string, dataset: DataSet): [string, string][] {
  const hasLabels = [...dataset.single, ...dataset.multi].some((clips) => clips > 0);
  return [
    ...(hasLabels ? [[`${id}-distribution`, "Label distribution"] as [string, string]] : []),
    ...(dataset.relabelled ? [[`${id}-relabelled`, "Original and multiple labels"] as [string, string]] : []),
    ...(dataset.relabelled?.samples.length
      ? [[`${id}-samples`, "Original and added labels"] as [string, string]]
      : []),
    ...(dataset.labels_per_clip.some((clips) => clips > 0)
      ? [[`${id}-number`, "Labels per clip"] as [string, string]]
      : []),
    ...(dataset.cooccurrence.order.length
      ? [[`${id}-cooccurrence`, "Co-occurrence"] as [string, string]]
      : []),
    ...dataset.pseudo_labels.flatMap((each, at) =>
      each.clips.length ? [[`${id}-pseudo-${at}`, `Pseudo-labels: ${each.name}`] as [string, string]] : [],
    ),
  ];
}

function DataSetBody({ id, dataset }: { id: string; dataset: DataSet }) {
  const { train, val, test } = dataset.clips;
  const parts = new Set(datasetParts(id, dataset).map(([part]) => part));
  const has = (part: string) => parts.has(`${id}-${part}`);
  return (
    <>
      <p class="facts">
        {count(train)} training, {count(val)} validation and {count(test)} test clips;{" "}
        {count(dataset.classes.length)} classes
        {dataset.selection && `; ${dataset.selection}`}
      </p>
      {has("distribution") ? (
        <Boundary>
          <Distribution id={`${id}-distribution`} dataset={dataset} />
        </Boundary>
      ) : (
        <p class="note">No clip has a label.</p>
      )}
      {has("relabelled") && (
        <Boundary>
          <RelabelledDistribution
            id={`${id}-relabelled`}
            dataset={dataset}
            relabelled={dataset.relabelled!}
          />
        </Boundary>
      )}
      {has("samples") && (
        <Boundary>
          <Samples id={`${id}-samples`} dataset={dataset} relabelled={dataset.relabelled!} />
        </Boundary>
      )}
      {has("number") && (
        <Boundary>
          <LabelsPerClip id={`${id}-number`} dataset={dataset} />
        </Boundary>
      )}
      {has("cooccurrence") ? (
        <Boundary>
          <CoOccurrenceMatrix id={`${id}-cooccurrence`} dataset={dataset} />
        </Boundary>
      ) : (
        <p class="note">No test clip has two labels, so there is no co-occurrence to show.</p>
      )}
      {dataset.pseudo_labels.map((settings, at) =>
        has(`pseudo-${at}`) ? (
          <Boundary key={at}>
            <PseudoLabelBrowser id={`${id}-pseudo-${at}`} source={dataset.name} settings={settings} />
          </Boundary>
        ) : null,
      )}
    </>
  );
}

export function sections(report: Report): Section[] {
  const experiments = report.experiments.map((experiment, at): Section => {
    const id = `experiment-${at + 1}`;
    const datasets = experiment.datasets.flatMap((position) => report.datasets[position] ?? []);
    return {
      id,
      title: experimentTitle(experiment),
      parts: experimentParts(id, experiment),
      Body: () => <ExperimentBody id={id} experiment={experiment} datasets={datasets} />,
    };
  });
  const datasets = report.datasets.map((dataset, at): Section => {
    const id = `dataset-${at + 1}`;
    return {
      id,
      title: `Data set ${dataset.name}`,
      parts: datasetParts(id, dataset),
      Body: () => <DataSetBody id={id} dataset={dataset} />,
    };
  });
  return [...experiments, ...datasets];
}
