// SPDX-License-Identifier: MIT
//
// A synthetic data set of a report.
import type { DataSet, PseudoLabels, Relabelled } from "../../web/src/report/data";
import { className, NASTY } from "./names";
import type { Random } from "./random";

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

function relabelled(random: Random, classes: number): Relabelled {
  const original = Array.from({ length: classes }, (_, at) => Math.floor(900 / (at + 1) ** 1.4));
  return {
    clips: original.reduce((sum, clips) => sum + clips, 0),
    original,
    all: original.map((clips) => clips + Math.floor(100 * random.uniform())),
    samples: Array.from({ length: 8 }, (_, at) => ({
      clip: at === 0 ? NASTY.long : `P03_${at}`,
      original: className(at),
      kept: at !== 2,
      added: [className(at + 1), className(at + 9)],
      video: at === 1 ? { src: "clip #1 50%.wav", start: 0.5, stop: 1 } : undefined,
    })),
  };
}

export function dataset(random: Random, name: string, classes: number): DataSet {
  const single = Array.from({ length: classes }, (_, at) => Math.floor(9000 / (at + 1) ** 1.4));
  return {
    name,
    selection: "the test clips are a random sample",
    clips: { train: single.reduce((sum, clips) => sum + clips, 0), val: 800, test: 1200 },
    classes: Array.from({ length: classes }, (_, at) => className(at)),
    single,
    multi: single.map((clips) => Math.floor(clips * (0.05 + 0.3 * random.uniform()))),
    labels_per_clip: [430, 410, 220, 90, 30, 15, 5],
    cooccurrence: cooccurrence(random, classes),
    relabelled: relabelled(random, classes),
    pseudo_labels: [pseudoLabels(random, "default", true), pseudoLabels(random, "raw features", false)],
  };
}
