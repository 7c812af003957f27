// SPDX-License-Identifier: MIT
//
// Synthetic reports from a seed, with realistic sizes and unusual values.
import type { DataSet, Experiment, Report, Row } from "../../web/src/report/data";
import { NASTY } from "./names";
import { generator } from "./random";
import { dataset } from "./sample_dataset";
import { experiment, LOSSES, SEEDS, sweep } from "./sample_experiment";

/** Everything: 8 losses x 5 seeds, an ablation, a sweep, 97 classes. */
export function fullReport(): Report {
  const random = generator(12);
  const ablation = [
    ...LOSSES.slice(6),
    { ...LOSSES[6]!, key: "mask-class", title: "Mask, class-level" },
    { ...LOSSES[7]!, key: "p+s-ideal", title: NASTY.quotes },
  ];
  return {
    format: 1,
    title: `Kitchen: one label each ${NASTY.script}`,
    program: "manyverbs 0.1.0",
    datasets: [dataset(random, "kitchen", 97)],
    experiments: [
      experiment(random, "compare", "first", LOSSES, SEEDS),
      experiment(random, "ablate", "ablation", ablation, 3),
      sweep(random),
    ],
  };
}

/** One run of one row with only nulls, a sweep that failed, a data set without multi-labels. */
export function bareReport(): Report {
  const random = generator(1);
  const row: Row = {
    key: "an",
    title: "AN",
    loss: "an",
    pseudo_labelled: false,
    published: {},
    cells: {
      f1: { mean: null, deviation: null, runs: 0 },
      predicted_labels: { mean: 0, deviation: null, runs: 1 },
    },
  };
  const made = experiment(random, "compare", "bare", LOSSES.slice(0, 1), 1);
  const bare: DataSet = {
    ...dataset(random, NASTY.rightToLeft, 5),
    multi: [0, 0, 0, 0, 0],
    labels_per_clip: [],
    cooccurrence: { order: [], rows: [], left_out: 5 },
    relabelled: null,
    pseudo_labels: [],
  };
  const nothing = { row: "an", threshold: [0, 0.5, 1], iou: [null, null, null], f1: [null, null, null] };
  const only: Experiment = {
    ...made,
    true_labels: null,
    rows: [row],
    thresholds: [{ ...nothing, labels: [0, 0, 0] }],
    examples: [
      {
        clip: "one",
        truth: [],
        predictions: [{ row: "an", match: "nothing", labels: [], more: 0, missed: [] }],
      },
    ],
    chosen_on_test: false,
    published_source: null,
    runs: [
      {
        ...made.runs[0]!,
        best_epoch: 1,
        values: { f1: null },
        curve: {
          epoch: [1],
          train_loss: [0.7],
          validation_loss: [null],
          selection_metric: "top1",
          score: [null],
        },
      },
    ],
  };
  const failed = { ...made.runs[0]!, problem: "no memory", curve: null };
  const sweep: Experiment = {
    ...only,
    kind: "sweep",
    from: "features",
    rows: [{ ...row, k: 3, tau: 0.1, cells: {} }],
    runs: [failed],
    thresholds: [],
    examples: [],
    grid: { ks: [3], taus: [0.1] },
  };
  return {
    format: 1,
    title: "Bare",
    program: "manyverbs 0.1.0",
    datasets: [bare],
    experiments: [only, sweep, { ...only, rows: [], runs: [], thresholds: [], examples: [], metrics: [] }],
  };
}
