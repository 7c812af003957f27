// SPDX-License-Identifier: MIT
//
// The rows of an experiment's table keep their colour, dashes and symbol in all its figures, and the
// reader chooses once which of them all its figures show.
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";

import { Chart, plot, type Draw } from "../common/chart";
import { Button } from "../common/choices";
import { shortened } from "../common/format";
import { seriesStyle } from "../common/palette";
import type { LegendEntry } from "../common/standalone";
import type { Experiment, Row } from "./data";

const SHOWN_AT_FIRST = 12;

export interface RowChoice {
  /** Those that are shown, in the order of the table. */
  rows: Row[];
  isShown: (key: string) => boolean;
  show: (keys: string[]) => void;
  toggle: (key: string) => void;
  /** The row under the pointer or the focus; its class is `seriesClass`. */
  highlight: string | null;
  setHighlight: (key: string | null) => void;
}

/** All rows if they are few, else those that are best or second in something. */
function shownAtFirst(rows: Row[]): string[] {
  if (rows.length <= SHOWN_AT_FIRST) return rows.map((row) => row.key);
  const ranked = rows.filter((row) => Object.values(row.cells).some((cell) => (cell.rank ?? 3) <= 2));
  return (ranked.length ? ranked : rows).slice(0, SHOWN_AT_FIRST / 2).map((row) => row.key);
}

export function useRowChoice(experiment: Experiment): RowChoice {
  const [shown, setShown] = useState(() => new Set(shownAtFirst(experiment.rows)));
  const [highlight, setHighlight] = useState<string | null>(null);
  const rows = useMemo(() => experiment.rows.filter((row) => shown.has(row.key)), [shown]);
  return {
    rows,
    isShown: (key) => shown.has(key),
    show: (keys) => setShown(new Set(keys)),
    toggle: (key) => {
      const next = new Set(shown);
      if (!next.delete(key)) next.add(key);
      setShown(next);
    },
    highlight,
    setHighlight,
  };
}

export function seriesClass(experiment: Experiment, key: string): string {
  return `series-${experiment.rows.findIndex((row) => row.key === key)}`;
}

/** A short stretch of a row's line with its symbol, for legends. */
function swatch(position: number): Draw {
  return (width, palette) => {
    const style = seriesStyle(position, palette);
    return plot(
      {
        width,
        height: 16,
        margin: 0,
        x: { domain: [0, 2], axis: null },
        y: { domain: [0, 2], axis: null },
        marks: [
          Plot.ruleY([1], { stroke: style.colour, strokeWidth: 2, strokeDasharray: style.dashes }),
          Plot.dot([[1, 1]], { symbol: style.symbol, fill: style.colour, r: 4 }),
        ],
      },
      palette,
      "",
    );
  };
}

export function legendEntries(experiment: Experiment, rows: Row[]): LegendEntry[] {
  return rows.map((row) => ({ text: row.title, draw: swatch(experiment.rows.indexOf(row)) }));
}

function LegendItem({ row, position, choice }: { row: Row; position: number; choice: RowChoice }) {
  const draw = useMemo(() => swatch(position), [position]);
  const enter = () => choice.setHighlight(row.key);
  const leave = () => choice.setHighlight(null);
  return (
    <label class="legend-item" title={row.title} onMouseEnter={enter} onMouseLeave={leave} onFocusIn={enter}
      onFocusOut={leave}>
      <input type="checkbox" checked={choice.isShown(row.key)} onChange={() => choice.toggle(row.key)} />
      <span class="swatch" aria-hidden="true">
        <Chart draw={draw} />
      </span>
      <bdi class="name">{shortened(row.title, 60)}</bdi>
    </label>
  );
}

/** Legend and choice in one: which rows the figures of this experiment show. */
export function RowLegend({ experiment, choice }: { experiment: Experiment; choice: RowChoice }) {
  if (experiment.rows.length < 2) return null;
  return (
    <fieldset class="legend">
      <legend>Rows shown</legend>
      {experiment.rows.map((row, position) => (
        <LegendItem key={row.key} row={row} position={position} choice={choice} />
      ))}
      <span class="legend-buttons">
        <Button press={() => choice.show(experiment.rows.map((row) => row.key))}>All</Button>
        <Button press={() => choice.show([])}>None</Button>
      </span>
    </fieldset>
  );
}
