// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Palette } from "./palette";
import { usePalette } from "./theme";

export type Drawn = (SVGSVGElement | HTMLElement) & Plot.Plot;

/** Draws a chart at a width, in pixels, with a theme's colours. */
export type Draw = (width: number, palette: Palette) => Drawn;

/** Plot with this page's type, colours and name for assistive technology. */
export function plot(options: Plot.PlotOptions, palette: Palette, label: string): Drawn {
  const chart = Plot.plot({
    className: "plot",
    ...options,
    // Without this, the label's descenders are cut off at the lower edge.
    x: { labelOffset: (options.marginBottom ?? 30) - 7, ...options.x },
    style: { fontSize: "12px", fontFamily: "system-ui, sans-serif", color: palette.ink, background: "none" },
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  return chart;
}

/** Ticks for a logarithmic scale: 1, 2 and 5 of each power of ten, or the powers alone when these are many. */
export function logTicks([least, most]: [number, number]): number[] {
  const powers = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++) powers.push(power);
  const steps = powers.length > 3 ? [1] : [1, 2, 5];
  return powers
    .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
    .filter((tick) => tick >= least && tick <= most);
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

/** A chart as wide as its place, drawn again when width, colours or `draw` change. */
export function Chart({ draw, highlight }: { draw: Draw; highlight?: string | null }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const palette = usePalette();
  useLayoutEffect(() => {
    if (width > 0) place.current!.replaceChildren(draw(width, palette));
  }, [draw, width, palette]);
  useLayoutEffect(() => {
    for (const mark of place.current!.querySelectorAll(".series"))
      mark.classList.toggle("faded", highlight != null && !mark.classList.contains(highlight));
  }, [draw, width, palette, highlight]);
  return <div class="chart" ref={place} />;
}
