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
    style: { fontSize: "12px", fontFamily: "system-ui, sans-serif", color: palette.ink, background: "none" },
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  return chart;
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
