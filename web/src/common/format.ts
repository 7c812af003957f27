// SPDX-License-Identifier: MIT

export const DASH = "–";

const counts = new Intl.NumberFormat("en-GB");

/** 41234 becomes "41,234". */
export function count(value: number | null): string {
  return value === null ? DASH : counts.format(value);
}

/** A fraction in percent, without the sign: 0.8704 becomes "87.0". */
export function percent(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined ? DASH : (100 * value).toFixed(digits);
}

/** The value of a metric with one decimal, in percent or as a plain number. */
export function metricValue(value: number | null | undefined, inPercent: boolean): string {
  if (value === null || value === undefined) return DASH;
  return inPercent ? percent(value) : value.toFixed(1);
}

/** "87.0 ± 3.7"; "87.0" without a deviation; a dash without a mean. */
export function meanAndDeviation(
  cell: { mean: number | null; deviation: number | null } | undefined,
  inPercent: boolean,
): string {
  if (!cell || cell.mean === null) return DASH;
  const mean = metricValue(cell.mean, inPercent);
  return cell.deviation === null ? mean : `${mean} ± ${metricValue(cell.deviation, inPercent)}`;
}

/** A number for a data table: at most six significant digits, no trailing zeros. */
export function plainNumber(value: number): string {
  return Number.isInteger(value) ? counts.format(value) : String(Number(value.toPrecision(6)));
}

/** A duration in words: 74 becomes "1 min 14 s". */
export function duration(seconds: number | null): string {
  if (seconds === null) return DASH;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "one run", "3 runs". */
export function plural(number: number, noun: string): string {
  return number === 1 ? `one ${noun}` : `${count(number)} ${noun}s`;
}

/** At most `length` characters; longer texts end with an ellipsis. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text.replace(/\s+/g, " "));
  return characters.length <= length ? characters.join("") : characters.slice(0, length - 1).join("") + "…";
}
