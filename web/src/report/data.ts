// SPDX-License-Identifier: MIT
//
// The data that `manyverbs report` writes into the page. The program computes everything; the page only draws.
// Shares and metrics are fractions; undefined values are null.

export interface Report {
  format: 1;
  title: string;
  /** "manyverbs 0.1.0" */
  program: string;
  datasets: DataSet[];
  experiments: Experiment[];
}

export interface DataSet {
  name: string;
  /** How people's test clips were chosen, a sentence without full stop; null if they are not from 'annotate export'. */
  selection: string | null;
  clips: { train: number; val: number; test: number };
  classes: string[];
  /** Number of training clips with each class as their single label, one number per class. */
  single: number[];
  /** Number of test clips with each class among their labels. */
  multi: number[];
  /** Number of test clips with 1, 2, 3 … labels. */
  labels_per_clip: number[];
  cooccurrence: CoOccurrence;
  /** null if the original label of test clips is not known. */
  relabelled: Relabelled | null;
  pseudo_labels: PseudoLabels[];
}

/** Test clips that had one label before they got all labels. */
export interface Relabelled {
  clips: number;
  /** Number of these clips with each class as their original label. */
  original: number[];
  /** Number of the same clips with each class among all labels. */
  all: number[];
  samples: Sample[];
}

export interface Sample {
  clip: string;
  original: string;
  /** Whether the original label is still one of the labels. */
  kept: boolean;
  added: string[];
  video?: Video;
}

/** The share of clips with the row's class that also have the column's class. */
export interface CoOccurrence {
  /** Indices of `classes`, ordered so that co-occurring classes are adjacent. */
  order: number[];
  /** rows[i][j] belongs to order[i] and order[j]; the diagonal is 1. */
  rows: (number | null)[][];
  /** Number of classes not shown, because they do not co-occur with others or there are too many. */
  left_out: number;
}

/** Pseudo-labels of example clips, with the neighbours that voted for them. */
export interface PseudoLabels {
  name: string;
  k: number;
  tau: number;
  space: string;
  metric: string;
  precision: number | null;
  recall: number | null;
  clips: PseudoLabelledClip[];
}

export interface PseudoLabelledClip {
  clip: string;
  label: string;
  /** The ground truth if known, otherwise null. */
  truth: string[] | null;
  video?: Video;
  /** Classes with votes, ordered by votes. */
  votes: { class: string; votes: number; share: number; suggested: boolean }[];
  /** Nearest first. */
  neighbours: { clip: string; label: string; distance: number; video?: Video }[];
}

/** A video file relative to the report, and the range to play in seconds. */
export interface Video {
  /** Path relative to the folder of the report, or absolute. Not URL-encoded. */
  src: string;
  start: number | null;
  stop: number | null;
}

export type MetricKey =
  | "top_set"
  | "top1"
  | "iou"
  | "f1"
  | "map"
  | "map_interpolated"
  | "predicted_labels"
  | "expected_iou"
  | "expected_f1"
  | "best_iou"
  | "best_f1";

export interface Metric {
  key: MetricKey;
  /** "Top-set", "F1 at expected" … */
  title: string;
  /** Whether the value is a fraction that is shown in percent. */
  percent: boolean;
  /** One line on how to read it. */
  meaning: string;
}

export interface Experiment {
  kind: "compare" | "ablate" | "sweep";
  /** What its runs were trained on; from clips, each trained a backbone end to end. */
  from: "features" | "clips";
  name: string;
  /** The command that reproduces the experiment. */
  command: string;
  /** Indices of `datasets`. */
  datasets: number[];
  /** Mean number of ground-truth labels per test clip. */
  true_labels: number | null;
  metrics: Metric[];
  rows: Row[];
  runs: Run[];
  /** The source of the values in `published`: "the paper, EPIC-Kitchens-100-SPMV"; otherwise null. */
  published_source: string | null;
  /** Whether each metric is taken at its best epoch on test, as in the paper for HMDB. */
  chosen_on_test: boolean;
  /** The values of K and tau of a sweep, otherwise null. The rows of a sweep have k and tau. */
  grid: { ks: number[]; taus: number[] } | null;
  thresholds: ThresholdCurve[];
  examples: Example[];
}

/** A row of the table: a loss and its source of pseudo-labels. */
export interface Row {
  key: string;
  title: string;
  loss: string;
  /** Whether the method is proposed by the paper: Mask and P+S. */
  pseudo_labelled: boolean;
  /** Only in a sweep. */
  k?: number;
  tau?: number;
  cells: Partial<Record<MetricKey, Cell>>;
  published: Partial<Record<MetricKey, { mean: number; deviation: number | null }>>;
}

export interface Cell {
  mean: number | null;
  /** Sample standard deviation; null for fewer than two runs. */
  deviation: number | null;
  runs: number;
  /** 1: highest mean, 2: second highest; absent for metrics where higher is not better. */
  rank?: number;
  /** Whether the row is not significantly worse than the best; absent if rank is. */
  best?: boolean;
}

export interface Run {
  name: string;
  /** The key of its row. */
  row: string;
  dataset: number;
  seed: number;
  /** The error message; null if it succeeded. */
  problem: string | null;
  seconds: number | null;
  best_epoch: number | null;
  values: Partial<Record<MetricKey, number | null>>;
  curve: {
    epoch: number[];
    train_loss: (number | null)[];
    validation_loss: (number | null)[];
    /** The metric that selects the best epoch: "reciprocal_rank", "top1", "iou", "best_f1". */
    selection_metric: string;
    score: (number | null)[];
  } | null;
}

/** IOU, F1 and labels per clip against the threshold, for one row, mean over its runs. */
export interface ThresholdCurve {
  row: string;
  threshold: number[];
  iou: (number | null)[];
  f1: (number | null)[];
  labels: (number | null)[];
}

/** A test clip and the predictions above 0.5 of the first run of each row. */
export interface Example {
  clip: string;
  truth: string[];
  video?: Video;
  predictions: {
    row: string;
    /** Whether all, a part or none of the predictions are right: exactly the ground truth, some of it, none of it. */
    match: "all" | "part" | "none" | "nothing";
    /** Most probable first, at most twelve. */
    labels: { class: string; probability: number; correct: boolean }[];
    /** Number of predicted labels that are not listed. */
    more: number;
    /** Ground-truth labels that were not predicted, with their probability. */
    missed: { class: string; probability: number }[];
  }[];
}
