// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";

import { plot, type Draw } from "../common/chart";
import { Select } from "../common/choices";
import { Figure } from "../common/figure";
import { metricValue } from "../common/format";
import { heatScale, readableOn } from "../common/heat";
import type { Experiment, Metric, MetricKey, Row } from "./data";

const LOSSES: Record<string, string> = { mask: "Mask", "p+s": "P+S" };

interface Cell {
  k: number;
  tau: number;
  value: number | null;
  published: number | null;
}

/** The heat map of one loss. All maps share one colour scale, so that they can be compared. */
function drawing(
  rows: Row[],
  metric: Metric,
  grid: { ks: number[]; taus: number[] },
  range: [number, number],
): Draw {
  const cells = rows.map((row): Cell => ({
    k: row.k!,
    tau: row.tau!,
    value: row.cells[metric.key]?.mean ?? null,
    published: row.published[metric.key]?.mean ?? null,
  }));
  const share = (value: number) => (range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0.5);
  const known = cells.filter((cell) => cell.value !== null);
  const published = cells.filter((cell) => cell.published !== null);
  return (width, palette) => {
    const readable = readableOn(palette);
    const ink = (cell: Cell) => (cell.value === null ? palette.ink : readable(share(cell.value)));
    return plot(
      {
        width,
        height: 46 * grid.taus.length + 60,
        marginLeft: 46,
        marginTop: 12,
        marginBottom: 43,
        padding: 0.04,
        x: { domain: grid.ks, label: "Neighbours K", labelAnchor: "center", tickSize: 0, type: "band" },
        y: {
          domain: grid.taus,
          label: "τ",
          labelAnchor: "top",
          tickSize: 0,
          type: "band",
          labelArrow: "none",
        },
        color: heatScale(palette),
        marks: [
          Plot.cell(known, { x: "k", y: "tau", fill: (cell) => share(cell.value!), rx: 2 }),
          Plot.text(cells, {
            x: "k",
            y: "tau",
            text: (cell) => metricValue(cell.value, metric.percent),
            fontSize: 13,
            fontWeight: 600,
            dy: published.length ? -7 : 0,
            fill: ink,
          }),
          Plot.text(published, {
            x: "k",
            y: "tau",
            text: (cell) => `(${metricValue(cell.published, metric.percent)})`,
            dy: 9,
            fontSize: 11,
            fill: ink,
          }),
        ],
      },
      palette,
      `${metric.title} for each K and τ: ` +
        cells
          .map((cell) => `K ${cell.k}, τ ${cell.tau}: ${metricValue(cell.value, metric.percent)}`)
          .join("; "),
    );
  };
}

function usePanels(experiment: Experiment, metric: Metric) {
  return useMemo(() => {
    const rows = experiment.rows.filter((row) => row.k !== undefined && row.tau !== undefined);
    const values = rows.flatMap((row) => row.cells[metric.key]?.mean ?? []);
    const range: [number, number] = [Math.min(...values), Math.max(...values)];
    return [...new Set(rows.map((row) => row.loss))].map((loss) => ({
      key: loss,
      title: `${LOSSES[loss] ?? loss}: ${metric.title}${metric.percent ? ", %" : ""}`,
      draw: drawing(
        rows.filter((row) => row.loss === loss),
        metric,
        experiment.grid!,
        range,
      ),
    }));
  }, [metric]);
}

function bestCells(experiment: Experiment, metric: Metric): string {
  const losses = [...new Set(experiment.rows.map((row) => row.loss))];
  const sentences = losses.flatMap((loss) => {
    const rows = experiment.rows.filter((row) => row.loss === loss && row.cells[metric.key]?.mean != null);
    const best = rows.sort((a, b) => b.cells[metric.key]!.mean! - a.cells[metric.key]!.mean!)[0];
    if (!best) return [];
    const value = metricValue(best.cells[metric.key]!.mean, metric.percent);
    return [`${LOSSES[loss] ?? loss} has its maximum ${value} at K = ${best.k}, τ = ${best.tau}`];
  });
  return sentences.length ? `${sentences.join("; ")}.` : "";
}

/** A metric for every K and tau of a sweep, one heat map per loss. */
export function HeatMap({ id, source, experiment }: { id: string; source: string; experiment: Experiment }) {
  const preferred = experiment.metrics.find((metric) => metric.key === "f1") ?? experiment.metrics[0]!;
  const [key, setKey] = useState<MetricKey>(preferred.key);
  const metric = experiment.metrics.find((each) => each.key === key)!;
  const panels = usePanels(experiment, metric);
  const published = experiment.rows.some((row) => Object.keys(row.published).length > 0);
  return (
    <Figure
      id={id}
      title="K and τ"
      source={source}
      panels={panels}
      columns={2}
      panelWidth={320}
      how={`Each cell is the mean over the runs with K neighbours and the vote threshold τ; stronger colours are higher.${published ? " Values in parentheses are published." : ""}`}
      summary={bestCells(experiment, metric)}
      controls={
        <Select
          label="Metric"
          value={key}
          choose={setKey}
          options={experiment.metrics.map((each): [MetricKey, string] => [each.key, each.title])}
        />
      }
      table={() => ({
        columns: ["loss", "k", "tau", `${key}_mean`, `${key}_deviation`, `${key}_published`],
        rows: experiment.rows.map((row) => [
          row.loss,
          row.k ?? null,
          row.tau ?? null,
          row.cells[key]?.mean ?? null,
          row.cells[key]?.deviation ?? null,
          row.published[key]?.mean ?? null,
        ]),
      })}
    />
  );
}
