// SPDX-License-Identifier: MIT
import { useMemo, useState } from "preact/hooks";

import { Button } from "../common/choices";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { meanAndDeviation } from "../common/format";
import { Name } from "../common/name";
import { TableFrame } from "../common/table";
import type { Experiment, Metric, MetricKey, Row } from "./data";

const SHOWN_AT_FIRST = 20;
/**
 * The columns of the paper's tables. The other metrics are in a second table, so that both fit the screen.
 * The published mAP is interpolated, so it is shown beside the interpolated one.
 */
function paperMetrics(experiment: Experiment): MetricKey[] {
  return ["top_set", "top1", "iou", "f1", experiment.published_source === null ? "map" : "map_interpolated"];
}

interface Order {
  key: MetricKey;
  descending: boolean;
}

function tableData(experiment: Experiment): Table {
  const published = experiment.published_source !== null;
  const columns = ["row", "loss", "k", "tau"];
  for (const { key } of experiment.metrics) {
    columns.push(`${key}_mean`, `${key}_deviation`, `${key}_runs`, `${key}_best`);
    if (published) columns.push(`${key}_published_mean`, `${key}_published_deviation`);
  }
  const rows = experiment.rows.map((row) => {
    const values: Table["rows"][number] = [row.title, row.loss, row.k ?? null, row.tau ?? null];
    for (const { key } of experiment.metrics) {
      const cell = row.cells[key];
      values.push(cell?.mean ?? null, cell?.deviation ?? null, cell?.runs ?? 0, cell?.best ? 1 : 0);
      if (published) values.push(row.published[key]?.mean ?? null, row.published[key]?.deviation ?? null);
    }
    return values;
  });
  return { columns, rows };
}

function ordered(rows: Row[], order: Order | null): Row[] {
  if (!order) return rows;
  const value = (row: Row) => row.cells[order.key]?.mean ?? -Infinity;
  return [...rows].sort((a, b) => (order.descending ? value(b) - value(a) : value(a) - value(b)));
}

function Heading({
  metric,
  order,
  setOrder,
}: {
  metric: Metric;
  order: Order | null;
  setOrder: (order: Order | null) => void;
}) {
  const mine = order?.key === metric.key ? order : null;
  const press = () =>
    setOrder(
      !mine ? { key: metric.key, descending: true } : mine.descending ? { ...mine, descending: false } : null,
    );
  return (
    <th scope="col" class="number" aria-sort={mine ? (mine.descending ? "descending" : "ascending") : "none"}>
      <button type="button" class="sort" title={metric.meaning} onClick={press}>
        {metric.title}
        <span aria-hidden="true">{mine ? (mine.descending ? " ▾" : " ▴") : ""}</span>
      </button>
    </th>
  );
}

function ResultCell({ row, metric, published }: { row: Row; metric: Metric; published: boolean }) {
  const cell = row.cells[metric.key];
  const text = meanAndDeviation(cell, metric.percent);
  return (
    <td class="number">
      {cell?.best ? <strong>{text}</strong> : text}
      {published && row.published[metric.key] && (
        <span class="published">{meanAndDeviation(row.published[metric.key], metric.percent)}</span>
      )}
    </td>
  );
}

function how(experiment: Experiment): string {
  const percent = experiment.metrics.some((metric) => metric.percent) ? "In percent, mean" : "Mean";
  const optimistic = experiment.chosen_on_test
    ? " Each metric is taken at its best epoch on test, as in the paper for HMDB, which is optimistic. The number of labels is from the epoch with the best F1."
    : "";
  const start = `${percent} ± standard deviation over the runs of a row. Bold: not significantly worse than the best (95 % interval of the paired difference).${optimistic}`;
  return experiment.published_source === null
    ? start
    : `${start} Smaller values below are published: ${experiment.published_source}; the published mAP is interpolated.`;
}

interface Shown {
  experiment: Experiment;
  rows: Row[];
  order: Order | null;
  setOrder: (order: Order | null) => void;
}

/** One line per row, one column per metric. */
function Results({ label, metrics, shown }: { label: string; metrics: Metric[]; shown: Shown }) {
  const { experiment, rows, order, setOrder } = shown;
  if (!metrics.length) return null;
  return (
    <TableFrame label={label}>
      <table class="results">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {metrics.map((metric) => (
              <Heading key={metric.key} metric={metric} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} class={row.pseudo_labelled ? "pseudo-labelled" : ""}>
              <th scope="row">
                <Name text={row.title} />
              </th>
              {metrics.map((metric) => (
                <ResultCell
                  key={metric.key}
                  row={row}
                  metric={metric}
                  published={experiment.published_source !== null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** The metrics of the paper's tables, and below them the metrics that are not in the paper. */
export function ResultTable({
  id,
  source,
  experiment,
}: {
  id: string;
  source: string;
  experiment: Experiment;
}) {
  const [order, setOrder] = useState<Order | null>(null);
  const [all, setAll] = useState(experiment.rows.length <= SHOWN_AT_FIRST);
  const sorted = useMemo(() => ordered(experiment.rows, order), [order]);
  const rows = sorted.slice(0, all ? sorted.length : SHOWN_AT_FIRST);
  const shown = { experiment, rows, order, setOrder };
  const inPaper = (metric: Metric) => paperMetrics(experiment).includes(metric.key);
  return (
    <Figure id={id} title="Results" source={source} how={how(experiment)} table={() => tableData(experiment)}>
      <Results label="Row" metrics={experiment.metrics.filter(inPaper)} shown={shown} />
      <Results
        label="Not in the paper"
        metrics={experiment.metrics.filter((metric) => !inPaper(metric))}
        shown={shown}
      />
      <Thresholds metrics={experiment.metrics} />
      {!all && (
        <div class="more">
          <Button press={() => setAll(true)}>Show all {sorted.length} rows</Button>
        </div>
      )}
      <FailedRuns experiment={experiment} />
    </Figure>
  );
}

/** Explains "at expected" and "at best" if there are such columns. */
function Thresholds({ metrics }: { metrics: Metric[] }) {
  const has = (start: string) => metrics.some(({ key }) => key.startsWith(start));
  if (!has("expected_") && !has("best_")) return null;
  return (
    <p class="note">
      IOU and F1 use the threshold 0.5.
      {has("expected_") &&
        " At expected: the threshold that gives the expected number of labels per clip on the clips that select the epoch; unless set, the expected number is the ground-truth mean of the test clips."}
      {has("best_") && " At best: the best threshold on the test clips, an upper bound."}
    </p>
  );
}

function FailedRuns({ experiment }: { experiment: Experiment }) {
  const failed = experiment.runs.filter((run) => run.problem !== null);
  if (!failed.length) return null;
  return (
    <div class="failed" role="note">
      <p>
        {failed.length} of {experiment.runs.length} runs failed and {failed.length === 1 ? "is" : "are"} not
        in the table:
      </p>
      <ul>
        {failed.map((run) => (
          <li key={run.name}>
            <Name text={run.name} />: <span class="problem">{run.problem}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
