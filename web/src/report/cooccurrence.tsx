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

/** Minimum height in pixels of a row with a name. */
const LINE = 13;

function drawing({ names, pairs }: Matrix, chosen: number | null): Draw {
  return (width, palette) => {
    // Names are shown beside the rows unless the screen is narrow, and above the columns if there are few.
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
      `Of the clips with ${shortened(names[row]!, 30)},\n${percent(share)} % also have ${shortened(names[column]!, 30)}`;
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
      {others.length === 0 && ", none has another label."}
      {others.map((pair, at) => (
        <span key={pair.column}>
          {at === 0 ? ", " : " · "}
          {percent(pair.share, 0)} % have <Name text={names[pair.column]!} />
        </span>
      ))}
    </p>
  );
}

function strongest({ names, pairs }: Matrix): string {
  const [best] = pairs.filter((pair) => pair.row !== pair.column).sort((a, b) => b.share - a.share);
  if (!best) return "No classes co-occur.";
  return `Strongest: of the clips with ${shortened(names[best.row]!, 60)}, ${percent(best.share, 0)} % also have
    ${shortened(names[best.column]!, 60)}.`;
}

/** Co-occurrence of classes on test clips, normalised per row. */
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
      how={`The share of test clips with the row's class that also have the column's class; stronger colours are higher. Blocks
        on the diagonal are groups of classes that occur on the same clips.${
          leftOut === 0
            ? ""
            : ` Not shown: ${count(leftOut)} ${leftOut === 1 ? "class" : "classes"}, because they do not co-occur with others or because there are too many.`
        }`}
      summary={strongest(data)}
      controls={
        <Select
          label="Show values of class"
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
