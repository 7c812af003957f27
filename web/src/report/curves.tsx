// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";

import { plot, pointerTip, type Draw } from "../common/chart";
import { Radios, Select } from "../common/choices";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { percent, plural, shortened } from "../common/format";
import type { Experiment, Row, Run } from "./data";
import { RowLegend, type RowChoice, type RowFigure } from "./rows";

type Quantity = "loss" | "score";

interface Point {
  run: Run;
  line: string;
  kind: "training" | "validation" | "score";
  epoch: number;
  value: number;
}

function linePoints(run: Run, kind: Point["kind"], values: (number | null)[]): Point[] {
  return values.flatMap((value, at) =>
    value === null ? [] : [{ run, line: `${run.name} ${kind}`, kind, epoch: run.curve!.epoch[at]!, value }],
  );
}

function points(runs: Run[], quantity: Quantity): Point[] {
  return runs.flatMap((run) =>
    quantity === "score"
      ? linePoints(run, "score", run.curve!.score)
      : [
          ...linePoints(run, "training", run.curve!.train_loss),
          ...linePoints(run, "validation", run.curve!.validation_loss),
        ],
  );
}

const isBest = (point: Point) => point.epoch === point.run.best_epoch && point.kind !== "training";

function tip(point: Point): string {
  const value =
    point.kind === "score" ? `${percent(point.value)} %` : String(Number(point.value.toPrecision(4)));
  const kind = point.kind === "score" ? "score" : `${point.kind} loss`;
  return `seed ${point.run.seed}, epoch ${point.epoch}\n${kind} ${value}${isBest(point) ? "\nbest epoch" : ""}`;
}

/** Minimum and maximum; a single value gets a margin. */
function extent(all: Point[]): [number, number] {
  const values = all.map((point) => point.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least < most ? [least, most] : [least - 0.1, most + 0.1];
}

function drawing(row: Row, runs: Run[], quantity: Quantity, shared: [number, number] | undefined): Draw {
  const lines = points(runs, quantity);
  const epochs = lines.map((point) => point.epoch);
  const domain = shared ?? extent(lines);
  const single = runs.every((run) => run.curve!.epoch.length < 2);
  return (width, palette) => {
    const colour = (point: Point) => palette.series[point.kind === "training" ? 0 : 1]!;
    const line = (kind: Point["kind"], dashes: string) =>
      Plot.line(
        lines.filter((point) => point.kind === kind),
        {
          x: "epoch",
          y: "value",
          z: "line",
          stroke: colour,
          strokeWidth: 1.4,
          strokeDasharray: dashes,
          strokeOpacity: 0.85,
          marker: single ? "dot" : undefined,
        },
      );
    return plot(
      {
        width,
        height: 210,
        marginTop: 28,
        marginLeft: 56,
        marginBottom: 42,
        x: {
          label: "Epoch",
          domain: [Math.min(...epochs), Math.max(...epochs)],
          nice: false,
          ticks: Math.min(5, width / 60, Math.max(...epochs)),
          tickFormat: "d",
        },
        y: {
          label: quantity === "score" ? "Score, %" : "Loss",
          grid: true,
          ticks: 4,
          domain,
          nice: true,
          tickFormat: quantity === "score" ? (value: number) => percent(value, 0) : undefined,
        },
        marks: [
          line("training", "none"),
          line("validation", "5 2.5"),
          line("score", "none"),
          Plot.dot(lines.filter(isBest), {
            x: "epoch",
            y: "value",
            fill: palette.ink,
            stroke: palette.surface,
            r: 4,
          }),
          pointerTip(lines, "epoch", "value", tip, palette),
        ],
      },
      palette,
      `${row.title}: ${quantity} against epoch of ${runs.length} runs`,
    );
  };
}

function curveTable(runs: Run[]): Table {
  const columns = [
    "run",
    "row",
    "seed",
    "epoch",
    "train_loss",
    "validation_loss",
    "selection_metric",
    "score",
    "best_epoch",
  ];
  const rows = runs.flatMap((run) => {
    const curve = run.curve!;
    return curve.epoch.map((epoch, at) => [
      run.name,
      run.row,
      run.seed,
      epoch,
      curve.train_loss[at] ?? null,
      curve.validation_loss[at] ?? null,
      curve.selection_metric,
      curve.score[at] ?? null,
      epoch === run.best_epoch,
    ]);
  });
  return { columns, rows };
}

function metricTitles(experiment: Experiment, runs: Run[]): string {
  const keys = [...new Set(runs.map((run) => run.curve!.selection_metric))];
  const title = (key: string) =>
    experiment.metrics.find((metric) => metric.key === key)?.title ?? key.replaceAll("_", " ");
  return keys.map(title).join(", ");
}

function usePanels(choice: RowChoice, runs: Run[], quantity: Quantity) {
  return useMemo(() => {
    const shown = runs.filter((run) => choice.isShown(run.row));
    // Scores share one scale, so that panels can be compared. Losses are not comparable.
    const domain = quantity === "score" && shown.length ? extent(points(shown, quantity)) : undefined;
    return choice.rows.flatMap((row) => {
      const mine = shown.filter((run) => run.row === row.key && points([run], quantity).length > 0);
      return mine.length
        ? [{ key: row.key, title: row.title, draw: drawing(row, mine, quantity, domain) }]
        : [];
    });
  }, [choice.rows, runs, quantity]);
}

/** Losses and score against the epoch, one panel per row and one line per run. */
export function Curves({ id, source, experiment, choice }: RowFigure) {
  const [quantity, setQuantity] = useState<Quantity>("loss");
  const [seed, setSeed] = useState("all");
  const withCurve = useMemo(
    () => experiment.runs.filter((run) => run.curve !== null && run.curve.epoch.length > 0),
    [],
  );
  const runs = useMemo(() => withCurve.filter((run) => seed === "all" || String(run.seed) === seed), [seed]);
  const panels = usePanels(choice, runs, quantity);
  const seeds = [...new Set(withCurve.map((run) => String(run.seed)))];
  const metric = metricTitles(experiment, withCurve);
  return (
    <Figure
      id={id}
      title="Training curves"
      source={source}
      panels={panels}
      columns={3}
      panelWidth={250}
      how={
        quantity === "loss"
          ? "One panel per row, one line per run. Solid: training loss; dashed: validation loss; dot: selected epoch. Losses have different units, so compare shapes, not values."
          : `One panel per row, one line per run: ${metric} on the validation clips, which selects the epoch; dot: selected epoch.`
      }
      summary={`${plural(withCurve.length, "run")}; rising validation loss with falling training loss indicates overfitting.`}
      controls={
        <>
          <Radios
            label="Show"
            value={quantity}
            choose={setQuantity}
            options={[
              ["loss", "Loss"],
              ["score", `Score (${shortened(metric, 30)})`],
            ]}
          />
          {seeds.length > 1 && (
            <Select
              label="Runs"
              value={seed}
              choose={setSeed}
              options={[["all", "All"], ...seeds.map((each): [string, string] => [each, `Seed ${each}`])]}
            />
          )}
          <RowLegend experiment={experiment} choice={choice} />
        </>
      }
      table={() => curveTable(withCurve)}
    />
  );
}
