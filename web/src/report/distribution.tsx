// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import { logAxis, logTicks, nameRoom, plot, pointerTip, type Draw } from "../common/chart";
import { Button, Radios } from "../common/choices";
import { Figure } from "../common/figure";
import { count, percent, plainNumber, shortened } from "../common/format";
import type { DataSet, Relabelled } from "./data";

const STEP = 30;

type Unit = "share" | "clips";

interface Class {
  rank: number;
  name: string;
  single: number;
  multi: number;
}

/** Single labels of some clips beside all labels of others, or of the same. */
interface Counts {
  single: number[];
  singleClips: number;
  multi: number[];
  multiClips: number;
}

/** Classes in descending order of single labels, as in the paper. */
function classes(names: string[], counts: Counts): Class[] {
  return names
    .map((name, at) => ({ name, single: counts.single[at] ?? 0, multi: counts.multi[at] ?? 0, rank: 0 }))
    .sort((a, b) => b.single - a.single || b.multi - a.multi)
    .map((each, rank) => ({ ...each, rank: rank + 1 }));
}

interface Shown {
  rank: number;
  kind: "single" | "multi";
  name: string;
  clips: number;
  value: number;
}

function values({ singleClips, multiClips }: Counts, shown: Class[], unit: Unit): Shown[] {
  return shown.flatMap(({ rank, name, single, multi }) =>
    (
      [
        ["single", single, singleClips],
        ["multi", multi, multiClips],
      ] as const
    )
      // A logarithmic scale has no zero; zeros are only in the data table.
      .filter(([, clips]) => clips > 0)
      .map(([kind, clips, all]) => ({
        rank,
        kind,
        name,
        clips,
        value: unit === "share" ? clips / all : clips,
      })),
  );
}

/** The scale for `length` pixels, with its ticks and their format. */
function scale(unit: Unit, all: Shown[], length: number) {
  const sizes = all.map((each) => each.value);
  const domain: [number, number] = [Math.min(...sizes) / 1.3, Math.max(...sizes) * 1.3];
  const ticks = logTicks(domain, length);
  const label = unit === "share" ? "Share of clips, %, logarithmic" : "Clips, logarithmic";
  const format = (tick: number) =>
    unit === "share" ? String(Number((100 * tick).toPrecision(1))) : plainNumber(tick);
  return { options: { type: "log", label, domain, grid: true, ticks } as const, ticks, format };
}

const tip = (each: Shown) =>
  `${each.rank}. ${shortened(each.name, 60)}\n${each.kind === "single" ? "single label of" : "one of the labels of"} ` +
  `${count(each.clips)} clips`;

function classDrawing(dataset: string, counts: Counts, shown: Class[], unit: Unit): Draw {
  const all = values(counts, shown, unit);
  const names = new Map(shown.map((each) => [each.rank, each.name]));
  return (width, palette) => {
    const room = nameRoom([...names.values()], width);
    const shares = scale(unit, all, width - room.margin - 16);
    const colours = { single: palette.series[0]!, multi: palette.series[1]! };
    const dots = (kind: Shown["kind"], symbol: Plot.SymbolType) =>
      Plot.dot(
        all.filter((each) => each.kind === kind),
        {
          x: "value",
          y: "rank",
          symbol,
          r: 4,
          fill: kind === "single" ? colours.single : palette.surface,
          stroke: colours[kind],
          strokeWidth: 1.8,
        },
      );
    return plot(
      {
        width,
        height: 20 * shown.length + 80,
        marginLeft: room.margin,
        marginRight: 16,
        marginTop: 40,
        marginBottom: 43,
        x: shares.options,
        y: {
          type: "band",
          domain: shown.map((each) => each.rank),
          label: null,
          tickSize: 0,
          tickFormat: (rank: number) => shortened(names.get(rank) ?? "", room.characters),
        },
        marks: [
          logAxis(Plot.axisX, shares.ticks, shares.format),
          logAxis(Plot.axisX, shares.ticks, shares.format, { anchor: "top", label: null }),
          Plot.ruleY(
            all,
            Plot.groupY(
              { x1: "min", x2: "max" },
              { x1: "value", x2: "value", y: "rank", stroke: palette.line, strokeWidth: 2 },
            ),
          ),
          dots("single", "circle"),
          dots("multi", "square"),
          pointerTip(all, "value", "rank", tip, palette),
        ],
      },
      palette,
      `Labels of ${shown.length} classes of ${dataset}, single labels beside multi-labels`,
    );
  };
}

/** All classes by rank, to show the tail of the distribution. */
function tailDrawing(dataset: string, counts: Counts, all: Class[], unit: Unit): Draw {
  const points = values(counts, all, unit);
  const shares = scale(unit, points, 170);
  return (width, palette) =>
    plot(
      {
        width,
        height: 220,
        marginLeft: 52,
        marginBottom: 43,
        x: {
          label: "Class, by number of single labels",
          domain: [1, Math.max(2, all.length)],
          ticks: Math.min(6, all.length),
          tickFormat: "d",
        },
        y: shares.options,
        marks: [
          logAxis(Plot.axisY, shares.ticks, shares.format),
          Plot.dot(
            points.filter((each) => each.kind === "multi"),
            { x: "rank", y: "value", symbol: "square", stroke: palette.series[1], r: 2.5 },
          ),
          Plot.line(
            points.filter((each) => each.kind === "single"),
            { x: "rank", y: "value", stroke: palette.series[0], strokeWidth: 2 },
          ),
          pointerTip(points, "rank", "value", tip, palette),
        ],
      },
      palette,
      `Labels of all ${all.length} classes of ${dataset} by rank`,
    );
}

function trainingSummary(dataset: DataSet, all: Class[]): string {
  const most = all[0]!;
  const unseen = all.filter((each) => each.single === 0).length;
  const start = `The most frequent single label is ${shortened(most.name, 60)}, with ${percent(most.single / dataset.clips.train)} %
    of the ${count(dataset.clips.train)} training clips`;
  return unseen
    ? `${start}; ${count(unseen)} of ${count(all.length)} classes have no training clip.`
    : `${start}.`;
}

interface DistributionProps {
  id: string;
  dataset: DataSet;
  title: string;
  counts: Counts;
  how: ComponentChildren;
  summary: (all: Class[]) => string;
}

function ClassDistribution({ id, dataset, title, counts, how, summary }: DistributionProps) {
  const [unit, setUnit] = useState<Unit>("share");
  const [number, setNumber] = useState(STEP);
  const [search, setSearch] = useState("");
  const all = useMemo(() => classes(dataset.classes, counts), []);
  const found = useMemo(
    () => all.filter((each) => each.name.toLowerCase().includes(search.trim().toLowerCase())),
    [search],
  );
  const shown = found.slice(0, number);
  const panels = useMemo(() => {
    const tail = {
      key: "tail",
      title: `All ${count(all.length)} classes`,
      draw: tailDrawing(dataset.name, counts, all, unit),
    };
    const drawable = shown.filter((each) => each.single + each.multi > 0);
    if (!drawable.length) return [tail];
    const draw = classDrawing(dataset.name, counts, shown, unit);
    return [tail, { key: "classes", title: "Individual classes", draw }];
  }, [unit, number, search]);
  return (
    <Figure
      id={id}
      title={title}
      source={dataset.name}
      panels={panels}
      columns={1}
      panelWidth={2000}
      how={how}
      summary={summary(all)}
      controls={
        <>
          <Radios
            label="Measure"
            value={unit}
            choose={setUnit}
            options={[
              ["share", "Share of clips"],
              ["clips", "Number of clips"],
            ]}
          />
          <label class="field">
            Find a class
            <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
          </label>
        </>
      }
      table={() => ({
        columns: ["rank", "class", "single_labels", "multi_labels", "single_share", "multi_share"],
        rows: all.map((each) => [
          each.rank,
          each.name,
          each.single,
          each.multi,
          counts.singleClips ? each.single / counts.singleClips : null,
          counts.multiClips ? each.multi / counts.multiClips : null,
        ]),
      })}
    >
      {found.length === 0 && <p class="note">No class name contains this text.</p>}
      {found.length > 0 && panels.length < 2 && <p class="note">No clip has one of these classes.</p>}
      <div class="more">
        {found.length > number && <Button press={() => setNumber(number * 2)}>Show more classes</Button>}
        {number > STEP && <Button press={() => setNumber(STEP)}>Show fewer</Button>}
        <span class="note" role="status">
          {count(Math.min(number, found.length))} of {count(found.length)} classes
        </span>
      </div>
    </Figure>
  );
}

/** How often each class is a single label, and how often it is one of the labels of a test clip. */
export function Distribution({ id, dataset }: { id: string; dataset: DataSet }) {
  const { train, test } = dataset.clips;
  return (
    <ClassDistribution
      id={id}
      dataset={dataset}
      title="Label distribution"
      counts={{ single: dataset.single, singleClips: train, multi: dataset.multi, multiClips: test }}
      how={
        <>
          How often each class is the single label of a training clip (blue, filled circle or line) and how
          often it is one of the labels of a test clip (orange, hollow square). If the square is far to the
          right of the circle, the class often applies but is seldom the single label.
        </>
      }
      summary={(all) => trainingSummary(dataset, all)}
    />
  );
}

/** The original labels of test clips beside all labels of the same clips, as in the paper. */
export function RelabelledDistribution({
  id,
  dataset,
  relabelled,
}: {
  id: string;
  dataset: DataSet;
  relabelled: Relabelled;
}) {
  const { clips, original, all } = relabelled;
  const labels = all.reduce((sum, each) => sum + each, 0);
  return (
    <ClassDistribution
      id={id}
      dataset={dataset}
      title="Original and multiple labels"
      counts={{ single: original, singleClips: clips, multi: all, multiClips: clips }}
      how={
        <>
          The same test clips with their one original label (blue, filled circle or line) and with all labels
          that apply (orange, hollow square). The distance is what the single labels left out.
        </>
      }
      summary={() =>
        `${count(clips)} test clips had one label each and have ${(labels / clips).toFixed(2)} labels on average.`
      }
    />
  );
}
