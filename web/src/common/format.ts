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

/** A metric's value as tables write it: in percent, or as it is with one decimal. */
export function metricValue(value: number | null | undefined, inPercent: boolean): string {
  if (value === null || value === undefined) return DASH;
  return inPercent ? percent(value) : value.toFixed(1);
}

/** "87.0 ± 3.7", "87.0" where there is no deviation, a dash where there is no mean. */
export function meanAndDeviation(
  cell: { mean: number | null; deviation: number | null } | undefined,
  inPercent: boolean,
): string {
  if (!cell || cell.mean === null) return DASH;
  const mean = metricValue(cell.mean, inPercent);
  return cell.deviation === null ? mean : `${mean} ± ${metricValue(cell.deviation, inPercent)}`;
}

/** A number for a data table: at most six digits that count, no trailing zeros. */
export function plainNumber(value: number): string {
  return Number.isInteger(value) ? counts.format(value) : String(Number(value.toPrecision(6)));
}

/** Seconds as people say them: 74 becomes "1 min 14 s". */
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

/** At most `length` characters, the last an ellipsis where some were left out. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text.replace(/\s+/g, " "));
  return characters.length <= length ? characters.join("") : characters.slice(0, length - 1).join("") + "…";
}
