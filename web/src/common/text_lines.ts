// SPDX-License-Identifier: MIT
//
// Lines of text as a drawing, for figures that are text and videos on the page.
import * as Plot from "@observablehq/plot";

import { plot, type Draw } from "./chart";
import { shortened } from "./format";
import type { Palette } from "./palette";

const LINE = 20;

export interface TextLine {
  /** What the line is about; empty lines separate groups. */
  head: string;
  text: string;
  colour?: (palette: Palette) => string;
  strong?: boolean;
}

/** Each line has its head on the left and its text beside it, shortened to the width. */
export function textDrawing(lines: TextLine[], label: string, headWidth = 150): Draw {
  return (width, palette) => {
    const room = Math.max(10, Math.floor((width - headWidth) / 6.6));
    const rows = lines.map((line, at) => ({ ...line, at: at + 0.5, text: shortened(line.text, room) }));
    const column = (x: number, text: "head" | "text") =>
      [false, true].map((strong) =>
        Plot.text(
          rows.filter((row) => row[text] !== "" && (row.strong ?? false) === strong),
          {
            x,
            y: "at",
            text: (row) => (text === "head" ? shortened(row.head, Math.floor(headWidth / 7)) : row.text),
            fill: (row) => (text === "text" ? (row.colour?.(palette) ?? palette.ink) : palette.ink),
            fontWeight: strong ? 600 : 400,
            textAnchor: "start",
          },
        ),
      );
    return plot(
      {
        width,
        height: LINE * lines.length + 8,
        margin: 4,
        x: { axis: null, domain: [0, width], range: [4, width - 4] },
        y: { axis: null, domain: [0, lines.length], reverse: true },
        color: { type: "identity" },
        marks: [...column(0, "head"), ...column(headWidth, "text")],
      },
      palette,
      label,
    );
  };
}
