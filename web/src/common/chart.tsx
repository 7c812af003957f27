// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Palette } from "./palette";
import { usePalette } from "./theme";

export type Drawn = (SVGSVGElement | HTMLElement) & Plot.Plot;

/** Draws a chart at a width, in pixels, with a theme's colours. */
export type Draw = (width: number, palette: Palette) => Drawn;

/** Plot with the font and colours of the page and an accessible name. */
export function plot(options: Plot.PlotOptions, palette: Palette, label: string): Drawn {
  const chart = Plot.plot({
    className: "plot",
    ...options,
    // Without this, the label is cut off at the lower edge.
    x: { labelOffset: (options.marginBottom ?? 30) - 7, ...options.x },
    style: { fontSize: "12px", fontFamily: "system-ui, sans-serif", color: palette.ink, background: "none" },
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  return chart;
}

/**
 * Ticks of a logarithmic scale with `length` pixels: 1, 2 and 5 times each power of ten, or only the powers
 * if there is no room.
 */
export function logTicks([least, most]: [number, number], length: number): number[] {
  const powers: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++) powers.push(power);
  const ticks = (steps: number[]) =>
    powers
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((tick) => tick >= least && tick <= most);
  const [many, few] = [ticks([1, 2, 5]), ticks([1])];
  return many.length * 36 > length && few.length > 1 ? few : many;
}

/** An axis with a label at every tick; the default axis of Plot omits some on logarithmic scales. */
export function logAxis(
  axis: typeof Plot.axisX,
  ticks: number[],
  format: (tick: number) => string,
  options = {},
) {
  return axis(ticks, { text: format, labelOffset: axis === Plot.axisX ? 36 : undefined, ...options });
}

/** The number of characters that fit beside a chart, and the margin for them. */
export function nameRoom(names: string[], width: number): { characters: number; margin: number } {
  const longest = Math.max(0, ...names.map((name) => Array.from(name).length));
  const characters = Math.min(longest, width < 500 ? 14 : 28);
  return { characters, margin: Math.max(48, Math.ceil(7.4 * characters) + 14) };
}

/** A tooltip for the point nearest to the pointer. */
export function pointerTip<T>(
  data: T[],
  x: keyof T & string,
  y: keyof T & string,
  title: (each: T) => string,
  palette: Palette,
) {
  return Plot.tip(
    data,
    Plot.pointer({ x, y, title, fontSize: 12, fill: palette.surface, stroke: palette.muted, maxRadius: 30 }),
  );
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const update = () => setWidth(Math.floor(element.current!.clientWidth));
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The chart, or an error message: after an exception Preact skips all later effects. */
function drawnOrNote(draw: Draw, width: number, palette: Palette): Element {
  try {
    return draw(width, palette);
  } catch (error) {
    console.error(error);
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = `This chart cannot be shown: ${String(error)}`;
    return note;
  }
}

/** A chart with the width of its container, drawn again when width, colours or `draw` change. */
export function Chart({ draw, highlight }: { draw: Draw; highlight?: string | null }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const palette = usePalette();
  useLayoutEffect(() => {
    if (width > 0) place.current!.replaceChildren(drawnOrNote(draw, width, palette));
  }, [draw, width, palette]);
  useLayoutEffect(() => {
    for (const mark of place.current!.querySelectorAll(".series"))
      mark.classList.toggle("faded", highlight != null && !mark.classList.contains(highlight));
  }, [draw, width, palette, highlight]);
  return <div class="chart" ref={place} />;
}
