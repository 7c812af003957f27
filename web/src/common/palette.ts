// SPDX-License-Identifier: MIT

/** The colours of the page and the charts. */
export interface Palette {
  page: string;
  surface: string;
  ink: string;
  muted: string;
  line: string;
  accent: string;
  /** Background and text colours for correct, wrong and selected. */
  goodBack: string;
  good: string;
  badBack: string;
  bad: string;
  /** And for partly correct. */
  partBack: string;
  part: string;
  /** Series colours by Okabe and Ito: distinguishable with every kind of colour vision, contrast 3:1. */
  series: string[];
  /** Heat map colours from low to high: darker in the light theme, lighter in the dark theme. */
  heat: [string, string, string];
}

export const light: Palette = {
  page: "#f7f7f5",
  surface: "#ffffff",
  ink: "#1d2024",
  muted: "#596069",
  line: "#d8dbdf",
  accent: "#0a5ca8",
  goodBack: "#e2f3ea",
  good: "#0b5f3c",
  badBack: "#fde9e0",
  bad: "#97350a",
  partBack: "#fbf1d0",
  part: "#6d4c00",
  series: ["#0072b2", "#d55e00", "#00805d", "#b44f8a", "#a06800", "#3d95cc", "#6a4ca3", "#3f444b"],
  heat: ["#edf3f9", "#5b9bd1", "#08396b"],
};

export const dark: Palette = {
  page: "#14171a",
  surface: "#1c2024",
  ink: "#e9ebee",
  muted: "#a9b0b9",
  line: "#3a4048",
  accent: "#84bcf5",
  goodBack: "#143428",
  good: "#83dfb6",
  badBack: "#42220f",
  bad: "#ffb18a",
  partBack: "#3a3010",
  part: "#f3d27f",
  series: ["#56b4e9", "#f0803c", "#2cc398", "#e38fc0", "#e8b33f", "#3e8ccb", "#a991e3", "#d5d9de"],
  heat: ["#252d36", "#3f7fbd", "#cbe5ff"],
};

/** The style of a series. Colour, dashes and symbol all differ, so that none is needed alone. */
export interface SeriesStyle {
  colour: string;
  dashes: string;
  symbol: "circle" | "square" | "triangle" | "diamond" | "star" | "cross" | "wye" | "times";
}

const DASHES = ["none", "7 3", "2 2.5", "9 3 2 3"];
const SYMBOLS: SeriesStyle["symbol"][] = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "star",
  "cross",
  "wye",
  "times",
];

/** The style of the series at a position; the first 256 are different. */
export function seriesStyle(position: number, palette: Palette): SeriesStyle {
  const round = Math.floor(position / palette.series.length);
  return {
    colour: palette.series[position % palette.series.length]!,
    dashes: DASHES[(position + round) % DASHES.length]!,
    symbol: SYMBOLS[(position + 3 * round) % SYMBOLS.length]!,
  };
}
