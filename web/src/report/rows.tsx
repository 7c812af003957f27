// SPDX-License-Identifier: MIT
//
// Each row of an experiment's table has the same colour, dashes and symbol in all charts. The selection of
// rows applies to all charts of the experiment.
import * as Plot from "@observablehq/plot";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { plot, type Draw } from "../common/chart";
import { Button } from "../common/choices";
import { shortened } from "../common/format";
import { seriesStyle } from "../common/palette";
import { usePalette } from "../common/theme";
import type { LegendEntry } from "../common/standalone";
import type { Experiment, Row } from "./data";

const SHOWN_AT_FIRST = 12;

export interface RowChoice {
  /** The selected rows, in table order. */
  rows: Row[];
  isShown: (key: string) => boolean;
  show: (keys: string[]) => void;
  toggle: (key: string) => void;
  /** The row under the pointer or with focus; its CSS class is `seriesClass`. */
  highlight: string | null;
  setHighlight: (key: string | null) => void;
}

/** Properties of a chart about the selected rows of an experiment. */
export interface RowFigure {
  id: string;
  /** Data sets and experiment, used in the names of saved files. */
  source: string;
  experiment: Experiment;
  choice: RowChoice;
}

/** All rows if there are few, otherwise those with the highest or second highest mean in a metric. */
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

/** A legend symbol: a short line with the symbol of the row. */
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
          Plot.dot([[1, 1]], { symbol: style.symbol, fill: style.colour, stroke: style.colour, r: 3.5 }),
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

function Swatch({ position }: { position: number }) {
  const place = useRef<HTMLSpanElement>(null);
  const palette = usePalette();
  useLayoutEffect(() => place.current!.replaceChildren(swatch(position)(36, palette)), [position, palette]);
  return <span class="swatch" aria-hidden="true" ref={place} />;
}

function LegendItem({ row, experiment, choice }: { row: Row; experiment: Experiment; choice: RowChoice }) {
  const enter = () => choice.setHighlight(row.key);
  const leave = () => choice.setHighlight(null);
  return (
    <label
      class="legend-item"
      title={row.title}
      onMouseEnter={enter}
      onMouseLeave={leave}
      onFocusIn={enter}
      onFocusOut={leave}
    >
      <input type="checkbox" checked={choice.isShown(row.key)} onChange={() => choice.toggle(row.key)} />
      <Swatch position={experiment.rows.indexOf(row)} />
      <bdi class="name">{shortened(row.title, 60)}</bdi>
    </label>
  );
}

/** Legend and selection of rows. Long lists are collapsed. */
export function RowLegend({ experiment, choice }: { experiment: Experiment; choice: RowChoice }) {
  const [open, setOpen] = useState(experiment.rows.length <= SHOWN_AT_FIRST);
  // A deselected row stays visible until the list is collapsed again.
  const [folded, setFolded] = useState(choice.rows);
  const { rows } = experiment;
  const fold = () => {
    setFolded(choice.rows);
    setOpen(!open);
  };
  if (rows.length < 2) return null;
  return (
    <fieldset class="legend">
      <legend>Rows shown</legend>
      {rows
        .filter((row) => open || folded.includes(row) || choice.isShown(row.key))
        .map((row) => (
          <LegendItem key={row.key} row={row} experiment={experiment} choice={choice} />
        ))}
      <span class="legend-buttons">
        {rows.length > SHOWN_AT_FIRST && (
          <button type="button" aria-expanded={open} onClick={fold}>
            {open ? "Show selected only" : `Show all ${rows.length} rows`}
          </button>
        )}
        <Button press={() => choice.show(rows.map((row) => row.key))}>All</Button>
        <Button press={() => choice.show([])}>None</Button>
      </span>
    </fieldset>
  );
}
