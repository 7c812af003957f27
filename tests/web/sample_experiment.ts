// SPDX-License-Identifier: MIT
//
// Synthetic experiments of a report: runs with random noise around typical values of each loss.
import type {
  Cell,
  Example,
  Experiment,
  Metric,
  MetricKey,
  Row,
  Run,
  ThresholdCurve,
} from "../../web/src/report/data";
import { className, NASTY } from "./names";
import type { Random } from "./random";

const METRICS: Metric[] = [
  { key: "top_set", title: "Top-set", percent: true, meaning: "How to read Top-set" },
  { key: "top1", title: "Top-1", percent: true, meaning: "How to read Top-1" },
  { key: "iou", title: "IOU", percent: true, meaning: "How to read IOU" },
  { key: "f1", title: "F1", percent: true, meaning: "How to read F1" },
  { key: "map", title: "mAP", percent: true, meaning: "How to read mAP" },
  { key: "map_interpolated", title: "mAP interp.", percent: true, meaning: "How to read mAP interp." },
  { key: "expected_f1", title: "F1 at expected", percent: true, meaning: "How to read F1 at expected" },
  { key: "best_f1", title: "F1 at best", percent: true, meaning: "How to read F1 at best" },
  { key: "predicted_labels", title: "Labels", percent: false, meaning: "How to read Labels" },
];

/** Typical F1 in percent and labels per clip of each row, to which noise is added. */
export interface Recipe {
  key: string;
  title: string;
  loss: string;
  f1: number;
  labels: number;
  k?: number;
  tau?: number;
  failed?: boolean;
}

export const LOSSES: Recipe[] = [
  { key: "an", title: "AN", loss: "an", f1: 0.6, labels: 1.3 },
  { key: "wan", title: "WAN", loss: "wan", f1: 0.83, labels: 2.2 },
  { key: "ls", title: "LS", loss: "ls", f1: 0.53, labels: 0.8 },
  { key: "n-ls", title: "N-LS", loss: "n-ls", f1: 0.62, labels: 1.0 },
  { key: "focal", title: "Focal", loss: "focal", f1: 0.31, labels: 0.4, failed: true },
  { key: "em", title: "EM", loss: "em", f1: 0.18, labels: 51.5 },
  { key: "mask", title: "Mask", loss: "mask", f1: 0.827, labels: 1.9 },
  { key: "p+s", title: "P+S", loss: "p+s", f1: 0.826, labels: 2.4 },
];

const TRUE_LABELS = 1.8;
export const SEEDS = 5;
const EPOCHS = 40;

function curve(random: Random, recipe: Recipe): NonNullable<Run["curve"]> {
  const epoch = Array.from({ length: EPOCHS }, (_, at) => at + 1);
  // The loss of entropy maximisation is slightly below zero and changes little.
  const [size, offset] = recipe.loss === "em" ? [0.01, -0.132] : [0.7, 0];
  const falling = (rate: number, rise: number) =>
    epoch.map((at) => offset + size * (Math.exp(-at / rate) + rise * at + 0.03 * random.normal()));
  return {
    epoch,
    train_loss: falling(9, 0),
    validation_loss: falling(7, 0.003).map((value, at) => (at === 3 ? null : value)),
    selection_metric: "top1",
    score: epoch.map(
      (at) => 0.9 * (1 - Math.exp(-at / 6)) * (0.9 + 0.1 * recipe.f1) + 0.01 * random.normal(),
    ),
  };
}

function run(random: Random, recipe: Recipe, seed: number): Run {
  const f1 = recipe.f1 + 0.02 * random.normal();
  const values: Run["values"] = {
    top_set: 0.87 + 0.01 * random.normal(),
    top1: 0.93 + 0.01 * random.normal(),
    iou: 0.9 * f1,
    f1,
    map: 0.78 + 0.02 * random.normal(),
    expected_f1: 0.8 + 0.02 * random.normal(),
    best_f1: 0.85,
    predicted_labels: recipe.labels * (1 + 0.05 * random.normal()),
  };
  const lines = curve(random, recipe);
  const best = lines.score.indexOf(Math.max(...(lines.score as number[])));
  const name = `${recipe.key}-${seed}`;
  const seconds = 60 + 20 * random.uniform();
  if (recipe.failed && seed === SEEDS)
    return {
      name,
      row: recipe.key,
      dataset: 0,
      seed,
      problem: `the loss is not a number at epoch 3: ${NASTY.script}`,
      seconds: 3,
      best_epoch: null,
      values: {},
      curve: null,
    };
  return {
    name,
    row: recipe.key,
    dataset: 0,
    seed,
    problem: null,
    seconds,
    best_epoch: best + 1,
    values,
    curve: lines,
  };
}

function cell(runs: Run[], key: MetricKey): Cell {
  const values = runs.flatMap((each) => each.values[key] ?? []);
  if (!values.length) return { mean: null, deviation: null, runs: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    deviation: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)),
    runs: values.length,
  };
}

/** Calls the two highest rows of each metric best. */
function rank(rows: Row[]): void {
  for (const { key } of METRICS.filter((metric) => metric.percent)) {
    const order = rows.map((row) => row.cells[key]!).sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
    order.forEach((cell, at) => Object.assign(cell, { rank: at + 1, best: at < 2 }));
  }
}

function thresholdCurve(recipe: Recipe): ThresholdCurve {
  const threshold = Array.from({ length: 51 }, (_, at) => at / 50);
  const peak = recipe.labels > 10 ? 0.8 : recipe.labels < 1 ? 0.25 : 0.45;
  const f1 = threshold.map((at) => (at === 1 ? 0 : 0.84 * Math.exp(-(((at - peak) / 0.35) ** 2))));
  return {
    row: recipe.key,
    threshold,
    f1,
    iou: f1.map((value) => 0.9 * value),
    labels: threshold.map((at) => (at > 0.95 ? 0 : recipe.labels * Math.exp(4 * (0.5 - at)))),
  };
}

function example(random: Random, recipes: Recipe[], at: number): Example {
  const truth = [className(at % 8), className((at + 3) % 97), className((at + 50) % 97)];
  return {
    clip: at === 0 ? NASTY.long : `P01_${at}/clip ${at}.mp4`,
    truth,
    video: at < 2 ? { src: "clip #1 50%.wav", start: 0.5, stop: 1 } : undefined,
    predictions: recipes.map((recipe) => {
      const right = truth.slice(0, 1 + random.below(3));
      const wrong = recipe.labels > 10 ? 10 : random.below(2);
      return {
        row: recipe.key,
        match: right.length === truth.length && wrong === 0 ? "all" : "part",
        labels: [
          ...right.map((name) => ({ class: name, probability: 0.6 + 0.4 * random.uniform(), correct: true })),
          ...Array.from({ length: wrong }, (_, other) => ({
            class: className(60 + other),
            probability: 0.55,
            correct: false,
          })),
        ],
        more: recipe.labels > 10 ? 40 : 0,
        missed: truth
          .filter((name) => !right.includes(name))
          .map((name) => ({ class: name, probability: 0.2 })),
      };
    }),
  };
}

export function experiment(
  random: Random,
  kind: Experiment["kind"],
  name: string,
  recipes: Recipe[],
  seeds: number,
): Experiment {
  const runs = recipes.flatMap((recipe) =>
    Array.from({ length: seeds }, (_, at) => run(random, recipe, at + 1)),
  );
  const rows = recipes.map(({ key, title, loss, k, tau, f1 }): Row => {
    const mine = runs.filter((each) => each.row === key);
    const cells = Object.fromEntries(METRICS.map((metric) => [metric.key, cell(mine, metric.key)]));
    const deviation = kind === "sweep" ? null : 0.004;
    const published =
      kind === "ablate"
        ? {}
        : { f1: { mean: f1 - 0.03, deviation }, map_interpolated: { mean: 0.258, deviation } };
    return { key, title, loss, pseudo_labelled: loss === "mask" || loss === "p+s", k, tau, cells, published };
  });
  rank(rows);
  return {
    kind,
    from: "features",
    name,
    command: `manyverbs ${kind} kitchen --seeds ${seeds} --out tables/${name}`,
    datasets: [0],
    true_labels: TRUE_LABELS,
    metrics: METRICS,
    rows,
    runs,
    chosen_on_test: kind === "ablate",
    published_source: kind === "ablate" ? null : "the paper, EPIC-Kitchens-100-SPMV",
    grid: null,
    thresholds: recipes.map(thresholdCurve),
    examples: kind === "compare" ? Array.from({ length: 10 }, (_, at) => example(random, recipes, at)) : [],
  };
}

const KS = [3, 5, 10, 15, 20, 30];
const TAUS = [0.05, 0.1, 0.2, 0.3];

export function sweep(random: Random): Experiment {
  const recipes = ["mask", "p+s"].flatMap((loss) =>
    KS.flatMap((k) =>
      TAUS.map((tau) => ({
        key: `${loss}-${k}-${tau}`,
        title: `${loss === "mask" ? "Mask" : "P+S"}, K = ${k}, τ = ${tau}`,
        loss,
        k,
        tau,
        f1: 0.8 - 0.002 * Math.abs(k - 15) - 0.4 * Math.abs(tau - 0.1),
        labels: 2,
      })),
    ),
  );
  const made = experiment(random, "sweep", "sweep", recipes, 1);
  made.rows[3]!.cells.f1 = { mean: null, deviation: null, runs: 0 };
  return { ...made, grid: { ks: KS, taus: TAUS } };
}
