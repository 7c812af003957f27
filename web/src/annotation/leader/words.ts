// SPDX-License-Identifier: MIT
//
// Formats values for people.
import { DASH } from "../../common/format";

/** The term of Landis and Koch (1977) for an agreement: 0.52 is "moderate". */
export function agreementWord(kappa: number): string {
  if (kappa < 0) return "poor";
  if (kappa <= 0.2) return "slight";
  if (kappa <= 0.4) return "fair";
  if (kappa <= 0.6) return "moderate";
  if (kappa <= 0.8) return "substantial";
  return "almost perfect";
}

/** The age of a time: "just now", "5 min ago", "3 h ago", then the day: "31 Jan". */
export function ago(time: string | null, now: number): string {
  if (time === null) return "never";
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** A time to the minute, in the time zone of the browser: "31 Jan 2026, 15:03". */
export function moment(time: string): string {
  return new Date(time).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** 0.412 becomes "41 %". */
export function share(value: number | null): string {
  return value === null ? DASH : `${Math.round(100 * value)} %`;
}

export function decimals(value: number | null, digits: number): string {
  return value === null ? DASH : value.toFixed(digits).replace("-", "−");
}
