// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { Chart } from "./chart";
import { csv, type Table } from "./csv";
import { fileName, save } from "./save";
import { standaloneSvg, type LegendEntry, type Panel } from "./standalone";
import { DataTable } from "./table";

interface FigureProps {
  id: string;
  title: string;
  /** The source, used in the names of saved files: "kitchen compare". */
  source: string;
  /** How to read the chart, in one or two sentences. */
  how: ComponentChildren;
  /** The main observation in one sentence, also for screen readers. */
  summary?: ComponentChildren;
  table: () => Table;
  panels?: Panel[];
  /** The panels of the saved file, if the page shows something else; called when it is saved. */
  savedPanels?: () => Panel[];
  /** Number of panels per row in the saved file. */
  columns?: number;
  /** Minimum width of a panel on the page, in pixels. */
  panelWidth?: number;
  legend?: LegendEntry[];
  /** CSS class of the series to highlight. */
  highlight?: string | null;
  /** The controls. */
  controls?: ComponentChildren;
  /** Shown above the panels; printed too, unlike the controls. */
  lead?: ComponentChildren;
  children?: ComponentChildren;
}

function Panels({
  panels,
  panelWidth = 280,
  highlight,
}: Pick<FigureProps, "panelWidth" | "highlight"> & { panels: Panel[] }) {
  const columns =
    panels.length > 1 ? `repeat(auto-fill, minmax(min(100%, ${panelWidth}px), 1fr))` : "minmax(0, 1fr)";
  return (
    <div class="panels" style={{ gridTemplateColumns: columns }}>
      {panels.map((panel) => (
        <div class="panel" key={panel.key}>
          {panel.title && (
            <h4 title={panel.title}>
              <bdi>{panel.title}</bdi>
            </h4>
          )}
          <Chart draw={panel.draw} highlight={highlight} />
        </div>
      ))}
    </div>
  );
}

function Tools(props: FigureProps) {
  const [open, setOpen] = useState(false);
  const name = fileName(props.source, props.title);
  const saveSvg = () =>
    save(
      `${name}.svg`,
      "image/svg+xml",
      standaloneSvg(
        props.title,
        props.savedPanels?.() ?? props.panels ?? [],
        props.legend ?? [],
        props.columns ?? 1,
      ),
    );
  return (
    <div class="tools">
      {(props.savedPanels || (props.panels && props.panels.length > 0)) && (
        <button type="button" aria-label={`Save SVG: ${props.title}`} onClick={saveSvg}>
          Save SVG
        </button>
      )}
      <button
        type="button"
        aria-label={`Save CSV: ${props.title}`}
        onClick={() => save(`${name}.csv`, "text/csv", csv(props.table()))}
      >
        Save CSV
      </button>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={`Data: ${props.title}`}>Data</summary>
        {open && <DataTable table={props.table()} label={`Data: ${props.title}`} />}
      </details>
    </div>
  );
}

/** A chart or table with title, explanation, controls and data. */
export function Figure(props: FigureProps) {
  return (
    <figure id={props.id} class="figure" aria-labelledby={`${props.id}-title`}>
      <h3 id={`${props.id}-title`}>{props.title}</h3>
      <p class="how">{props.how}</p>
      {props.controls && <div class="controls">{props.controls}</div>}
      {props.lead}
      {props.panels?.length === 0 && <p class="note">There is no data for this selection.</p>}
      {props.panels && (
        <Panels panels={props.panels} panelWidth={props.panelWidth} highlight={props.highlight} />
      )}
      {props.children}
      {props.summary && <figcaption>{props.summary}</figcaption>}
      <Tools {...props} />
    </figure>
  );
}
