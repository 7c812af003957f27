// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";

import { nameRoom, plot, pointerTip, type Draw, type Drawn } from "../common/chart";
import { Select } from "../common/choices";
import { Figure } from "../common/figure";
import { count, percent, shortened } from "../common/format";
import { heatScale } from "../common/heat";
import { Name } from "../common/name";
import type { DataSet } from "./data";

interface Pair {
  row: number;
  column: number;
  share: number;
}

interface Matrix {
  names: string[];
  pairs: Pair[];
}

function matrix(dataset: DataSet): Matrix {
  const { order, rows } = dataset.cooccurrence;
  const pairs = rows.flatMap((shares, row) =>
    shares.flatMap((share, column) => (share === null || share === 0 ? [] : [{ row, column, share }])),
  );
  return { names: order.map((position) => dataset.classes[position] ?? `class ${position}`), pairs };
}

/** The least height of a line that has its name beside it, in pixels. */
const LINE = 13;

function drawing({ names, pairs }: Matrix, chosen: number | null): Draw {
  return (width, palette) => {
    // Names need room: beside the rows on all but the narrowest screens, above the columns if they are few.
    const room = nameRoom(
      names.map((name) => shortened(name, 16)),
      width,
    ).margin;
    const left = width < 500 ? 8 : room;
    const side = Math.min(30, (width - left - 8) / names.length);
    const named = { tickSize: 0, label: null, tickFormat: (at: number) => shortened(names[at] ?? "", 16) };
    const rows = left > 8 ? named : { axis: null };
    const columns =
      left > 8 && side >= LINE ? { ...named, axis: "top" as const, tickRotate: -90 } : { axis: null };
    const top = columns.axis === null ? 8 : room;
    const height = (left > 8 ? Math.max(side, LINE) : side) * names.length;
    const tip = ({ row, column, share }: Pair) =>
      `Of the clips with ${shortened(names[row]!, 30)},\n${percent(share)} % carry ${shortened(names[column]!, 30)} as well`;
    return plot(
      {
        width: left + side * names.length + 8,
        height: top + height + 8,
        marginLeft: left,
        marginTop: top,
        marginRight: 8,
        marginBottom: 8,
        padding: 0,
        x: { type: "band", round: false, domain: names.map((_, at) => at), ...columns },
        y: { type: "band", round: false, domain: names.map((_, at) => at), ...rows },
        color: heatScale(palette),
        marks: [
          Plot.frame({ fill: palette.heat[0], stroke: palette.line }),
          Plot.cell(pairs, { x: "column", y: "row", fill: "share", shapeRendering: "crispEdges" }),
          chosen === null
            ? null
            : Plot.cell(
                names.map((_, at) => ({ row: chosen, column: at })),
                { x: "column", y: "row", stroke: palette.series[1], strokeWidth: 1.2, fill: "none" },
              ),
          pointerTip(pairs, "column", "row", tip, palette),
        ],
      },
      palette,
      `Co-occurrence of ${names.length} classes`,
    );
  };
}

const ramp: Draw = (width, palette) => {
  const legend = Plot.legend({
    color: heatScale(palette),
    label: "Share of the row's clips, %",
    width: Math.min(280, width),
    marginLeft: 12,
    marginRight: 16,
    ticks: 5,
    tickFormat: (share: number) => percent(share, 0),
    className: "plot",
    style: { fontSize: "12px", color: palette.ink },
  }) as Drawn;
  legend.setAttribute("role", "img");
  legend.setAttribute("aria-label", "From light to strong colour: 0 to 100 percent");
  return legend;
};

function Readout({ names, pairs, chosen }: Matrix & { chosen: number }) {
  const others = pairs
    .filter((pair) => pair.row === chosen && pair.column !== chosen)
    .sort((a, b) => b.share - a.share)
    .slice(0, 8);
  return (
    <p class="readout" role="status">
      Of the clips with{" "}
      <strong>
        <Name text={names[chosen]!} />
      </strong>
      {others.length === 0 && ", none carries another label."}
      {others.map((pair, at) => (
        <span key={pair.column}>
          {at === 0 ? ", " : " · "}
          {percent(pair.share, 0)} % carry <Name text={names[pair.column]!} />
        </span>
      ))}
    </p>
  );
}

function strongest({ names, pairs }: Matrix): string {
  const [best] = pairs.filter((pair) => pair.row !== pair.column).sort((a, b) => b.share - a.share);
  if (!best) return "No two classes occur together.";
  return `Strongest: of the clips with ${shortened(names[best.row]!, 60)}, ${percent(best.share, 0)} % carry
    ${shortened(names[best.column]!, 60)} as well.`;
}

/** Which classes occur together on test clips, rows normalised. */
export function CoOccurrenceMatrix({ id, dataset }: { id: string; dataset: DataSet }) {
  const [choice, setChoice] = useState("");
  const data = useMemo(() => matrix(dataset), []);
  const chosen = choice === "" ? null : Number(choice);
  const panels = useMemo(
    () => [
      { key: "ramp", title: "", draw: ramp },
      { key: "matrix", title: "", draw: drawing(data, chosen) },
    ],
    [chosen],
  );
  const leftOut = dataset.cooccurrence.left_out;
  return (
    <Figure
      id={id}
      title="Co-occurrence"
      source={dataset.name}
      panels={panels}
      panelWidth={2000}
      how={`Of the test clips with the row's class, how many carry the column's class as well: stronger colour is more. Blocks
        on the diagonal are groups of classes that people use for the same clips.${
          leftOut === 0
            ? ""
            : ` Left out, because they never occur with another or because there are too many: ${count(leftOut)}.`
        }`}
      summary={strongest(data)}
      controls={
        <Select
          label="Read out the class"
          value={choice}
          choose={setChoice}
          options={[
            ["", "none"],
            ...data.names.map((name, at): [string, string] => [String(at), shortened(name, 40)]),
          ]}
        />
      }
      table={() => ({
        columns: ["class", "other_class", "share"],
        rows: data.pairs.map((pair) => [data.names[pair.row]!, data.names[pair.column]!, pair.share]),
      })}
    >
      {chosen !== null && <Readout {...data} chosen={chosen} />}
    </Figure>
  );
}
