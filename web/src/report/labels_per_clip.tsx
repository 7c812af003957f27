// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";

import { plot, type Draw } from "../common/chart";
import { Figure } from "../common/figure";
import { count, percent } from "../common/format";
import type { DataSet } from "./data";

function drawing(bars: { labels: number; clips: number }[]): Draw {
  return (width, palette) =>
    plot(
      {
        width,
        height: 220,
        marginLeft: 52,
        marginBottom: 43,
        x: {
          type: "band",
          label: "Labels per test clip",
          labelAnchor: "center",
          tickSize: 0,
          // With many bars, only every fifth has a tick label.
          tickFormat: (labels: number) =>
            bars.length * 30 < width || labels % 5 === 0 || labels === 1 ? String(labels) : "",
        },
        y: { label: "Clips", grid: true, ticks: 4, tickFormat: "~s" },
        marks: [
          Plot.barY(bars, { x: "labels", y: "clips", fill: palette.series[0], insetLeft: 1, insetRight: 1 }),
          Plot.ruleY([0], { stroke: palette.muted }),
          bars.length * 44 < width
            ? Plot.text(bars, {
                x: "labels",
                y: "clips",
                text: (bar) => count(bar.clips),
                dy: -8,
                fill: palette.ink,
              })
            : null,
        ],
      },
      palette,
      `Test clips by number of labels: ${bars.map((bar) => `${bar.labels}: ${bar.clips}`).join(", ")}`,
    );
}

/** Number of test clips with one, two, three … labels. */
export function LabelsPerClip({ id, dataset }: { id: string; dataset: DataSet }) {
  const bars = useMemo(() => dataset.labels_per_clip.map((clips, at) => ({ labels: at + 1, clips })), []);
  const panels = useMemo(() => [{ key: "all", title: "", draw: drawing(bars) }], []);
  const all = bars.reduce((sum, bar) => sum + bar.clips, 0);
  return (
    <Figure
      id={id}
      title="Labels per clip"
      source={dataset.name}
      panels={panels}
      how="Number of test clips by number of ground-truth labels. All bars but the first are clips that a single label does not describe completely."
      summary={`${percent(1 - (bars[0]?.clips ?? 0) / all, 0)} % of ${count(all)} test clips have more than one label.`}
      table={() => ({ columns: ["labels", "clips"], rows: bars.map((bar) => [bar.labels, bar.clips]) })}
    />
  );
}
