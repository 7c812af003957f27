// SPDX-License-Identifier: MIT

/** The colours of page and charts, in one place so that both change together. */
export interface Palette {
  page: string;
  surface: string;
  ink: string;
  muted: string;
  line: string;
  accent: string;
  /** Behind text that is right, wrong or chosen, and the text itself. */
  goodBack: string;
  good: string;
  badBack: string;
  bad: string;
  /** Series, after Okabe and Ito: told apart with every kind of colour vision, 3:1 on the surface. */
  series: string[];
  /** Heat maps from low to high: ever darker in light, ever lighter in dark. */
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
  series: ["#56b4e9", "#f0803c", "#2cc398", "#e38fc0", "#e8b33f", "#3e8ccb", "#a991e3", "#d5d9de"],
  heat: ["#252d36", "#3f7fbd", "#cbe5ff"],
};

/** How one series is drawn: colour, dashes and symbol each differ, so that none carries it alone. */
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

/** The style of the series at a position; 256 differ before one returns. */
export function seriesStyle(position: number, palette: Palette): SeriesStyle {
  const round = Math.floor(position / palette.series.length);
  return {
    colour: palette.series[position % palette.series.length]!,
    dashes: DASHES[(position + round) % DASHES.length]!,
    symbol: SYMBOLS[(position + 3 * round) % SYMBOLS.length]!,
  };
}
