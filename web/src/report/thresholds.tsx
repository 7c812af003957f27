// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";

import { logAxis, logTicks, plot, pointerTip, type Draw } from "../common/chart";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { percent, plainNumber, shortened } from "../common/format";
import { seriesStyle } from "../common/palette";
import type { Experiment, ThresholdCurve } from "./data";
import { legendEntries, RowLegend, seriesClass, type RowFigure } from "./rows";

type Quantity = "iou" | "f1" | "labels";
const TITLES: Record<Quantity, string> = { iou: "IOU", f1: "F1", labels: "Labels per clip" };
const UNITS: Record<Quantity, string> = { iou: "percent", f1: "percent", labels: "logarithmic" };

interface Point {
  title: string;
  threshold: number;
  value: number;
}

function curvePoints(curve: ThresholdCurve, quantity: Quantity, title: string): Point[] {
  return curve.threshold.flatMap((threshold, at) => {
    const value = curve[quantity][at] ?? null;
    // The number of labels has a logarithmic scale, so values near zero are left out.
    return value === null || (quantity === "labels" && value < 0.01) ? [] : [{ title, threshold, value }];
  });
}

function drawing(experiment: Experiment, curves: ThresholdCurve[], quantity: Quantity): Draw {
  const lines = curves.map((curve) => {
    const position = experiment.rows.findIndex((row) => row.key === curve.row);
    return {
      curve,
      position,
      points: curvePoints(curve, quantity, experiment.rows[position]?.title ?? curve.row),
    };
  });
  const all = lines.flatMap((line) => line.points);
  const inPercent = quantity !== "labels";
  const domain: [number, number] = [
    Math.min(...all.map((point) => point.value)),
    Math.max(...all.map((point) => point.value)),
  ];
  const truth = experiment.true_labels;
  const ticks = inPercent ? [] : logTicks(domain, 220);
  const tip = ({ title, threshold, value }: Point) =>
    `${shortened(title, 40)}\nthreshold ${Number(threshold.toFixed(3))}\n` +
    `${TITLES[quantity]} ${inPercent ? `${percent(value)} %` : value.toFixed(2)}`;
  return (width, palette) =>
    plot(
      {
        width,
        height: 270,
        marginLeft: 46,
        marginTop: 12,
        marginBottom: 43,
        x: { label: "Threshold", domain: [0, 1], ticks: 5 },
        y: inPercent
          ? {
              label: null,
              ticks: 5,
              grid: true,
              nice: true,
              zero: true,
              tickFormat: (value: number) => percent(value, 0),
            }
          : {
              label: null,
              type: "log",
              domain,
              grid: true,
              ticks,
            },
        marks: [
          inPercent ? null : logAxis(Plot.axisY, ticks, plainNumber, { label: null }),
          Plot.ruleX([0.5], { stroke: palette.muted, strokeDasharray: "4 3" }),
          !inPercent && truth !== null
            ? Plot.ruleY([truth], { stroke: palette.ink, strokeDasharray: "5 3" })
            : null,
          ...lines.flatMap(({ curve, position, points }) => {
            const style = seriesStyle(position, palette);
            const className = `series ${seriesClass(experiment, curve.row)}`;
            // One symbol per eight points, shifted per row, so that symbols do not overlap.
            const marked = points.filter((_, at) => points.length < 8 || at % 8 === position % 8);
            return [
              Plot.line(points, {
                x: "threshold",
                y: "value",
                stroke: style.colour,
                strokeWidth: 1.8,
                strokeDasharray: style.dashes,
                className,
              }),
              Plot.dot(marked, {
                x: "threshold",
                y: "value",
                fill: style.colour,
                stroke: style.colour,
                symbol: style.symbol,
                r: 3.5,
                className,
              }),
            ];
          }),
          pointerTip(all, "threshold", "value", tip, palette),
        ],
      },
      palette,
      `${TITLES[quantity]} against the threshold of ${lines.length} rows`,
    );
}

function thresholdTable(experiment: Experiment): Table {
  const title = (key: string) => experiment.rows.find((row) => row.key === key)?.title ?? key;
  return {
    columns: ["row", "threshold", "iou", "f1", "labels"],
    rows: experiment.thresholds.flatMap((curve) =>
      curve.threshold.map((threshold, at) => [
        title(curve.row),
        threshold,
        curve.iou[at] ?? null,
        curve.f1[at] ?? null,
        curve.labels[at] ?? null,
      ]),
    ),
  };
}

/** The row with the highest F1 at any threshold. */
function bestPoint(experiment: Experiment): string | undefined {
  let best: { value: number; threshold: number; row: string } | null = null;
  for (const curve of experiment.thresholds)
    curve.f1.forEach((value, at) => {
      if (value !== null && value > (best?.value ?? -1))
        best = { value, threshold: curve.threshold[at]!, row: curve.row };
    });
  if (best === null) return undefined;
  const { value, threshold, row } = best as { value: number; threshold: number; row: string };
  const title = experiment.rows.find((each) => each.key === row)?.title ?? row;
  return `The maximum F1 is ${percent(value)} %, by ${shortened(title, 60)} at threshold ${threshold.toFixed(2)}.`;
}

/** IOU, F1 and labels per clip against the threshold, one line per row. */
export function Thresholds({ id, source, experiment, choice }: RowFigure) {
  const panels = useMemo(() => {
    const curves = experiment.thresholds.filter((curve) => choice.isShown(curve.row));
    const drawable = (["iou", "f1", "labels"] as const).filter((quantity) =>
      curves.some((curve) => curvePoints(curve, quantity, "").length > 0),
    );
    return drawable.map((quantity) => ({
      key: quantity,
      title: `${TITLES[quantity]}, ${UNITS[quantity]}`,
      draw: drawing(experiment, curves, quantity),
    }));
  }, [choice.rows]);
  return (
    <Figure
      id={id}
      title="IOU and F1 against the threshold"
      source={source}
      panels={panels}
      columns={3}
      panelWidth={270}
      legend={legendEntries(experiment, choice.rows)}
      highlight={choice.highlight === null ? null : seriesClass(experiment, choice.highlight)}
      how="A class is predicted if its score is above the threshold. The vertical line is 0.5, as in the tables.
        Losses with equally high peaks at different thresholds differ in calibration, not in ranking."
      summary={bestPoint(experiment)}
      controls={<RowLegend experiment={experiment} choice={choice} />}
      table={() => thresholdTable(experiment)}
    />
  );
}
