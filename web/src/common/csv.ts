// SPDX-License-Identifier: MIT

/** The data of a chart, for the CSV file and the table below the chart. */
export interface Table {
  columns: string[];
  rows: Value[][];
}

export type Value = string | number | boolean | null;

/** With an apostrophe before what a spreadsheet would take for a formula. */
function withoutFormula(text: string): string {
  return /^[=+@-]/.test(text) ? `'${text}` : text;
}

function field(value: Value): string {
  if (value === null) return "";
  const text = typeof value === "string" ? withoutFormula(value) : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** The table as CSV by RFC 4180: {say "hi", 1.5, null} becomes `"say ""hi""",1.5,`. */
export function csv(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}
