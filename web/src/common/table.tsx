// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

import type { Table, Value } from "./csv";
import { count, DASH, plainNumber } from "./format";
import { Name } from "./name";

const SHOWN = 200;

/** A wide table that scrolls horizontally in its frame, also with the arrow keys. */
export function TableFrame({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

function PlainCell({ value }: { value: Value }) {
  if (value === null) return <td class="number">{DASH}</td>;
  if (typeof value === "number") return <td class="number">{plainNumber(value)}</td>;
  return <td>{typeof value === "boolean" ? value ? "yes" : "no" : <Name text={value} />}</td>;
}

/** The data of a chart. Long tables are truncated with a note; the CSV file is complete. */
export function DataTable({ table, label }: { table: Table; label: string }) {
  return (
    <TableFrame label={label}>
      <table class="plain">
        <thead>
          <tr>
            {table.columns.map((column, position) => (
              <th
                key={position}
                scope="col"
                class={typeof table.rows[0]?.[position] === "number" ? "number" : ""}
              >
                {column.replace(/_/g, " ")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, SHOWN).map((row, position) => (
            <tr key={position}>
              {row.map((value, column) => (
                <PlainCell key={column} value={value} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > SHOWN && (
        <p class="note">
          The first {SHOWN} of {count(table.rows.length)} lines; the CSV file has all.
        </p>
      )}
    </TableFrame>
  );
}
