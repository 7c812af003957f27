// SPDX-License-Identifier: MIT
//
// What `manyverbs report` hands to the page. The program does all the arithmetic; the page draws.
// Shares and metrics are fractions, null where a value is not defined.

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
  clips: { train: number; val: number; test: number };
  classes: string[];
  /** How many training clips carry each class as their single label, one number a class. */
  single: number[];
  /** How many test clips carry each class among their labels. */
  multi: number[];
  /** How many test clips carry 1, 2, 3 … labels. */
  labels_per_clip: number[];
  cooccurrence: CoOccurrence;
  pseudo_labels: PseudoLabels[];
}

/** Of the clips with the row's class, the share that carries the column's class as well. */
export interface CoOccurrence {
  /** Positions in `classes`, ordered so that classes that occur together stand together. */
  order: number[];
  /** rows[i][j] belongs to order[i] and order[j]; the diagonal is 1. */
  rows: (number | null)[][];
  /** Classes that are not shown because they never occur with another, or because there are too many. */
  left_out: number;
}

/** Pseudo-labels of a few training clips, with the neighbours that voted for them. */
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
  /** All true labels where they are known, else null. */
  truth: string[] | null;
  video?: Video;
  /** The classes that got votes, most votes first. */
  votes: { class: string; votes: number; share: number; suggested: boolean }[];
  /** Nearest first. */
  neighbours: { clip: string; label: string; distance: number; video?: Video }[];
}

/** A clip to look at: a file beside the report and the seconds to play. */
export interface Video {
  /** Path from the report's folder, or an absolute one, as the file system has it; the page makes it an address. */
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
  /** Whether the value is a fraction to be shown in percent; otherwise a plain number. */
  percent: boolean;
}

export interface Experiment {
  kind: "compare" | "ablate" | "sweep";
  name: string;
  /** What a user types to make it again. */
  command: string;
  /** Positions in `datasets`. */
  datasets: number[];
  /** Mean number of true labels of a test clip. */
  true_labels: number | null;
  metrics: Metric[];
  rows: Row[];
  runs: Run[];
  /** Where figures come from that stand in `published`: "the paper, EPIC-Kitchens-100-SPMV"; else null. */
  published_source: string | null;
  /** Whether each metric is at its own best epoch on test, as the paper has it for HMDB. */
  chosen_on_test: boolean;
  /** Of a sweep, else null: the values of K and tau; its rows carry k and tau. */
  grid: { ks: number[]; taus: number[] } | null;
  thresholds: ThresholdCurve[];
  examples: Example[];
}

/** A line of the table: a loss, with the pseudo-labels it learnt from. */
export interface Row {
  key: string;
  title: string;
  loss: string;
  /** Mask and P+S, the paper's own. */
  ours: boolean;
  /** Of a sweep. */
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
  /** 1 best, 2 second, among the rows of the table; absent for metrics where more is not better. */
  rank?: number;
}

export interface Run {
  name: string;
  /** Key of its row. */
  row: string;
  dataset: number;
  seed: number;
  /** Why it failed; null when it did not. */
  problem: string | null;
  seconds: number | null;
  best_epoch: number | null;
  values: Partial<Record<MetricKey, number | null>>;
  curve: {
    epoch: number[];
    train_loss: (number | null)[];
    validation_loss: (number | null)[];
    /** What chose the best epoch: "top1", "iou". */
    judge: string;
    score: (number | null)[];
  } | null;
}

/** IOU, F1 and labels a clip of one row against the threshold, mean over its runs. */
export interface ThresholdCurve {
  row: string;
  threshold: number[];
  iou: (number | null)[];
  f1: (number | null)[];
  labels: (number | null)[];
}

/** One test clip and what the model of each row (its first run) says of it, above 0.5. */
export interface Example {
  clip: string;
  truth: string[];
  video?: Video;
  predictions: {
    row: string;
    /** Most likely first, at most twelve. */
    labels: { class: string; probability: number; correct: boolean }[];
    /** How many more were predicted than are listed. */
    more: number;
    /** True labels that were not predicted, with their probability. */
    missed: { class: string; probability: number }[];
  }[];
}
