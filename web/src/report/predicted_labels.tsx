// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";

import { logAxis, logTicks, nameRoom, plot, type Draw } from "../common/chart";
import { Figure } from "../common/figure";
import { plainNumber, shortened } from "../common/format";
import { seriesStyle } from "../common/palette";
import type { Experiment, Row } from "./data";
import { RowLegend, type RowFigure } from "./rows";

interface Point {
  position: number;
  title: string;
  mean: number;
  low: number;
  high: number;
  published: number | null;
}

function point(experiment: Experiment, row: Row): Point | null {
  const cell = row.cells.predicted_labels;
  if (!cell || cell.mean === null) return null;
  const spread = cell.deviation ?? 0;
  return {
    position: experiment.rows.indexOf(row),
    title: row.title,
    mean: cell.mean,
    low: cell.mean - spread,
    high: cell.mean + spread,
    published: row.published.predicted_labels?.mean ?? null,
  };
}

function drawing(points: Point[], truth: number | null): Draw {
  // A logarithmic scale has no zero: smaller values are drawn at the left end.
  const values = [...points.flatMap((each) => [each.mean, each.published ?? each.mean]), truth ?? 1];
  const least = Math.max(0.05, Math.min(...values) / 1.6);
  const most = Math.max(...points.map((each) => each.high), ...values) * 1.3;
  const rules = truth === null ? [] : [truth];
  const x = (value: number) => Math.max(least, value);
  return (width, palette) => {
    const room = nameRoom(
      points.map((each) => each.title),
      width,
    );
    const ticks = logTicks([least, most], width - room.margin - 46);
    const style = (each: Point) => seriesStyle(each.position, palette);
    return plot(
      {
        width,
        height: 28 * points.length + 74,
        marginLeft: room.margin,
        marginRight: 46,
        marginTop: 30,
        marginBottom: 44,
        x: {
          type: "log",
          domain: [least, most],
          label: "Labels per clip, logarithmic",
          grid: true,
          ticks,
        },
        y: {
          // Without a type, Plot takes two numbers as the ends of a continuous scale.
          type: "point",
          domain: points.map((each) => each.position),
          label: null,
          tickSize: 0,
          tickFormat: (position: number) =>
            shortened(points.find((each) => each.position === position)!.title, room.characters),
        },
        marks: [
          logAxis(Plot.axisX, ticks, plainNumber),
          Plot.ruleX(rules, { stroke: palette.ink, strokeWidth: 1.5, strokeDasharray: "5 3" }),
          Plot.text(rules, {
            x: (value) => value,
            frameAnchor: "top",
            dy: -20,
            fill: palette.ink,
            text: (value) => `ground truth ${value.toFixed(1)}`,
          }),
          Plot.ruleY(points, {
            y: "position",
            x1: (each) => x(each.low),
            x2: (each) => x(each.high),
            stroke: (each: Point) => style(each).colour,
            strokeWidth: 2,
          }),
          Plot.dot(points, {
            y: "position",
            x: (each: Point) => x(each.mean),
            fill: (each: Point) => style(each).colour,
            stroke: (each: Point) => style(each).colour,
            symbol: (each: Point) => style(each).symbol,
            r: 5,
          }),
          Plot.dot(
            points.filter((each) => each.published !== null),
            {
              y: "position",
              x: (each) => x(each.published!),
              stroke: palette.ink,
              strokeWidth: 1.5,
              symbol: "diamond",
              r: 6,
            },
          ),
          Plot.text(points, {
            y: "position",
            frameAnchor: "right",
            dx: 40,
            textAnchor: "end",
            fill: palette.ink,
            text: (each) => each.mean.toFixed(1),
          }),
        ],
        color: { type: "identity" },
        symbol: { type: "identity" },
      },
      palette,
      `Predicted labels per clip: ${points.map((each) => `${each.title} ${each.mean.toFixed(1)}`).join(", ")}` +
        (truth === null ? "" : `; ground truth ${truth.toFixed(1)}`),
    );
  };
}

function farthest(points: Point[], truth: number): string | undefined {
  const distance = (each: Point) => Math.abs(Math.log(each.mean / truth));
  const [most] = [...points].sort((a, b) => distance(b) - distance(a));
  return (
    most &&
    `${shortened(most.title, 60)} differs most from the ground truth: ${most.mean.toFixed(1)} predicted labels
      per clip, ${truth.toFixed(1)} in the ground truth.`
  );
}

/** Number of predicted labels per clip of each row, compared with the ground truth. */
export function PredictedLabels({ id, source, experiment, choice }: RowFigure) {
  const points = useMemo(
    () => choice.rows.map((row) => point(experiment, row)).filter((each): each is Point => each !== null),
    [choice.rows],
  );
  const truth = experiment.true_labels;
  const panels = useMemo(
    () => (points.length ? [{ key: "all", title: "", draw: drawing(points, truth) }] : []),
    [points],
  );
  const published = points.some((each) => each.published !== null);
  return (
    <Figure
      id={id}
      title="Predicted labels per clip"
      source={source}
      panels={panels}
      how={`Number of classes with a score above 0.5 per test clip, mean over clips and runs. Error bars are one standard
        deviation. The dashed line is the ground-truth mean.${published ? " Hollow diamonds are published values." : ""}`}
      summary={truth === null ? undefined : farthest(points, truth)}
      controls={<RowLegend experiment={experiment} choice={choice} />}
      table={() => ({
        columns: ["row", "predicted_mean", "predicted_deviation", "published_mean", "true_labels"],
        rows: experiment.rows.map((row) => [
          row.title,
          row.cells.predicted_labels?.mean ?? null,
          row.cells.predicted_labels?.deviation ?? null,
          row.published.predicted_labels?.mean ?? null,
          truth,
        ]),
      })}
    />
  );
}
