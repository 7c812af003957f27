// SPDX-License-Identifier: MIT
//
// Saves the panels of a chart in one standalone SVG file.
import { shortened } from "./format";
import type { Draw } from "./chart";
import { light } from "./palette";

export interface Panel {
  key: string;
  /** The title above the panel; empty if there is only one panel. */
  title: string;
  draw: Draw;
}

/** A legend entry in the file; on the page the legend selects the rows. */
export interface LegendEntry {
  text: string;
  draw: Draw;
}

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 960;
const GAP = 24;
const LINE = 24;

function element(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

function place(parent: SVGElement, chart: Element, x: number, y: number): number {
  chart.setAttribute("x", String(x));
  chart.setAttribute("y", String(y));
  parent.append(chart);
  return Number(chart.getAttribute("height"));
}

/** Arranges the panels in rows; returns the total height. */
function placePanels(parent: SVGElement, panels: Panel[], columns: number, top: number): number {
  const width = Math.floor((WIDTH - GAP * (columns + 1)) / columns);
  let y = top;
  for (let first = 0; first < panels.length; first += columns) {
    let height = 0;
    panels.slice(first, first + columns).forEach((panel, column) => {
      const x = GAP + column * (width + GAP);
      const head = panel.title ? LINE : 0;
      if (head)
        parent.append(element("text", { x, y: y + 16, "font-weight": 600 }, shortened(panel.title, 60)));
      height = Math.max(height, head + place(parent, panel.draw(width, light), x, y + head));
    });
    y += height + GAP;
  }
  return y;
}

function placeLegend(parent: SVGElement, legend: LegendEntry[], top: number): number {
  const entryWidth = 220;
  const columns = Math.floor((WIDTH - 2 * GAP) / entryWidth);
  legend.forEach((entry, position) => {
    const x = GAP + (position % columns) * entryWidth;
    const y = top + Math.floor(position / columns) * LINE;
    place(parent, entry.draw(40, light), x, y);
    parent.append(element("text", { x: x + 46, y: y + 12 }, shortened(entry.text, 24)));
  });
  return top + Math.ceil(legend.length / columns) * LINE;
}

/** The chart as SVG text, always in the light theme. */
export function standaloneSvg(
  title: string,
  panels: Panel[],
  legend: LegendEntry[],
  columns: number,
): string {
  const svg = element("svg", {
    width: WIDTH,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
    fill: light.ink,
    color: light.ink,
  });
  const background = element("rect", { width: "100%", height: "100%", fill: light.surface });
  svg.append(element("title", {}, title), background);
  svg.append(element("text", { x: GAP, y: 30, "font-size": 16, "font-weight": 600 }, shortened(title, 100)));
  let height = placePanels(svg, panels, Math.min(columns, panels.length), 46);
  if (legend.length) height = placeLegend(svg, legend, height) + GAP;
  svg.setAttribute("height", String(height));
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  // Not every SVG program supports currentColor.
  for (const part of svg.querySelectorAll("*"))
    for (const name of ["fill", "stroke"])
      if (part.getAttribute(name) === "currentColor") part.setAttribute(name, light.ink);
  // Names may contain characters that XML does not allow.
  const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg).replace(unwritable, "\ufffd")}\n`;
}
