// SPDX-License-Identifier: MIT

/** What a figure shows, as rows and columns: for the CSV file and for the table under the figure. */
export interface Table {
  columns: string[];
  rows: Value[][];
}

export type Value = string | number | boolean | null;

function field(value: Value): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** The table as RFC 4180 asks: {say "hi", 1.5, null} becomes `"say ""hi""",1.5,`. */
export function csv(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}
