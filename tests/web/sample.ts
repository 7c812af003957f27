// SPDX-License-Identifier: MIT
//
// Reports to test the page with: made up from a seed, in the sizes and with the oddities that real
// ones have.
import type {
  Cell,
  DataSet,
  Example,
  Experiment,
  Metric,
  MetricKey,
  PseudoLabels,
  Report,
  Row,
  Run,
  ThresholdCurve,
} from "../../web/src/report/data";
import { generator, type Random } from "./random";

/** Names that have broken pages, tables and files before. */
export const NASTY = {
  script: '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">',
  quotes: `say "cheese", it's 'fine'; \\ & done`,
  unicode: "切る / couper / 자르다 ± τ 🥕",
  rightToLeft: "تقطيع الجزر",
  long: "peel ".repeat(60).trim(),
  template: "${window.hacked = 3} {{7*7}} $& REPORT_DATA",
};

const METRICS: Metric[] = [
  { key: "top_set", title: "Top-set", percent: true },
  { key: "top1", title: "Top-1", percent: true },
  { key: "iou", title: "IOU", percent: true },
  { key: "f1", title: "F1", percent: true },
  { key: "map", title: "mAP", percent: true },
  { key: "expected_f1", title: "F1 at expected", percent: true },
  { key: "predicted_labels", title: "Labels", percent: false },
];

/** What a row's runs scatter around: F1 in percent and labels a clip, as losses typically do. */
interface Recipe {
  key: string;
  title: string;
  loss: string;
  f1: number;
  labels: number;
  k?: number;
  tau?: number;
  failed?: boolean;
}

const LOSSES: Recipe[] = [
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
const SEEDS = 5;
const EPOCHS = 40;

function className(at: number): string {
  return Object.values(NASTY)[at] ?? `verb ${at}`;
}

function curve(random: Random, recipe: Recipe): NonNullable<Run["curve"]> {
  const epoch = Array.from({ length: EPOCHS }, (_, at) => at + 1);
  const start = recipe.loss === "em" ? 0.2 : 0.7;
  const falling = (rate: number, rise: number) =>
    epoch.map(
      (at) =>
        start * Math.exp(-at / rate) + rise * at + 0.02 * random.normal() - (recipe.loss === "em" ? 0.1 : 0),
    );
  return {
    epoch,
    train_loss: falling(9, 0),
    validation_loss: falling(7, 0.003).map((value, at) => (at === 3 ? null : value)),
    judge: "top1",
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

function rank(rows: Row[]): void {
  for (const { key } of METRICS.filter((metric) => metric.percent)) {
    const order = rows.map((row) => row.cells[key]!).sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
    order.slice(0, 2).forEach((best, at) => (best.rank = at + 1));
  }
}

function thresholdCurve(recipe: Recipe): ThresholdCurve {
  const threshold = Array.from({ length: 49 }, (_, at) => (at + 1) / 50);
  const peak = recipe.labels > 10 ? 0.8 : recipe.labels < 1 ? 0.25 : 0.45;
  const f1 = threshold.map((at) => 0.84 * Math.exp(-(((at - peak) / 0.35) ** 2)));
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

function experiment(
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
    const published =
      kind === "ablate" ? {} : { f1: { mean: f1 - 0.03, deviation: kind === "sweep" ? null : 0.004 } };
    return { key, title, loss, ours: loss === "mask" || loss === "p+s", k, tau, cells, published };
  });
  rank(rows);
  return {
    kind,
    name,
    command: `manyverbs ${kind} kitchen --seeds ${seeds} --out tables/${name}`,
    datasets: [0],
    true_labels: TRUE_LABELS,
    metrics: METRICS,
    rows,
    runs,
    published_source: kind === "ablate" ? null : "the paper, EPIC-Kitchens-100-SPMV",
    grid: null,
    thresholds: recipes.map(thresholdCurve),
    examples: kind === "compare" ? Array.from({ length: 10 }, (_, at) => example(random, recipes, at)) : [],
  };
}

const KS = [3, 5, 10, 15, 20, 30];
const TAUS = [0.05, 0.1, 0.2, 0.3];

function sweep(random: Random): Experiment {
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

function cooccurrence(random: Random, classes: number): DataSet["cooccurrence"] {
  const order = Array.from({ length: Math.min(classes, 120) }, (_, at) => classes - 1 - at);
  const rows = order.map((_, row) =>
    order.map((_, column) => {
      if (row === column) return 1;
      if (row === 7) return null;
      return Math.floor(row / 6) === Math.floor(column / 6)
        ? random.uniform()
        : random.uniform() < 0.05
          ? 0.1
          : 0;
    }),
  );
  return { order, rows, left_out: classes - order.length };
}

function pseudoLabels(random: Random, name: string, truthKnown: boolean): PseudoLabels {
  const clips = Array.from({ length: 8 }, (_, at) => {
    const label = className(at);
    const labels = [label, label, className(at + 1), className(at + 20), className(at + 1)];
    const neighbours = Array.from({ length: 15 }, (_, other) => ({
      clip: `P02_${other}`,
      label: other < 11 ? labels[other % 5]! : className(at + 30 + other),
      distance: 1 + other / 10 + 0.05 * random.uniform(),
    }));
    const names = [...new Set(neighbours.map((each) => each.label))];
    const votes = names.map((each) => {
      const number = neighbours.filter((neighbour) => neighbour.label === each).length;
      return {
        class: each,
        votes: number,
        share: number / 15,
        suggested: each !== label && number / 15 > 0.1,
      };
    });
    votes.sort((a, b) => b.votes - a.votes);
    return {
      clip: at === 1 ? NASTY.script : `P01_${at}`,
      label,
      truth: truthKnown ? [label, className(at + 1)] : null,
      votes,
      neighbours,
    };
  });
  return {
    name,
    k: 15,
    tau: 0.1,
    space: "learned",
    metric: "cosine",
    precision: truthKnown ? 0.55 : null,
    recall: truthKnown ? 0.61 : null,
    clips,
  };
}

export function dataset(random: Random, name: string, classes: number): DataSet {
  const single = Array.from({ length: classes }, (_, at) => Math.floor(9000 / (at + 1) ** 1.4));
  return {
    name,
    clips: { train: single.reduce((sum, clips) => sum + clips, 0), val: 800, test: 1200 },
    classes: Array.from({ length: classes }, (_, at) => className(at)),
    single,
    multi: single.map((clips) => Math.floor(clips * (0.05 + 0.3 * random.uniform()))),
    labels_a_clip: [430, 410, 220, 90, 30, 15, 5],
    cooccurrence: cooccurrence(random, classes),
    pseudo_labels: [pseudoLabels(random, "default", true), pseudoLabels(random, "raw features", false)],
  };
}

/** All there can be: 8 losses x 5 seeds, an ablation, a sweep, 97 classes. */
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

/** One run of one row with nothing but nulls, of one epoch, on a data set without multi-labels. */
export function bareReport(): Report {
  const random = generator(1);
  const row: Row = {
    key: "an",
    title: "AN",
    loss: "an",
    ours: false,
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
    labels_a_clip: [],
    cooccurrence: { order: [], rows: [], left_out: 5 },
    pseudo_labels: [],
  };
  return {
    format: 1,
    title: "Bare",
    program: "manyverbs 0.1.0",
    datasets: [bare],
    experiments: [
      {
        ...made,
        rows: [row],
        thresholds: [],
        examples: [],
        published_source: null,
        runs: [
          {
            ...made.runs[0]!,
            best_epoch: 1,
            values: { f1: null },
            curve: { epoch: [1], train_loss: [0.7], validation_loss: [null], judge: "top1", score: [null] },
          },
        ],
      },
      { ...made, rows: [], runs: [], thresholds: [], examples: [], metrics: [] },
    ],
  };
}
