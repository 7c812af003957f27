// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";

import type { Palette } from "./palette";

/** The colour scale of heat maps from 0 to 1, perceptually uniform through interpolation in Lab. */
export function heatScale(palette: Palette): Plot.ScaleOptions {
  return { type: "linear", domain: [0, 0.5, 1], range: palette.heat, interpolate: "lab" };
}

function channels(colour: string): number[] {
  if (colour.startsWith("#")) return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The WCAG contrast of two colours, "#rrggbb" or "rgb(r, g, b)", from 1 to 21. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The text colour on a heat map cell with a value from 0 to 1; black or white always reaches 4.5:1. */
export function readableOn(palette: Palette): (value: number) => string {
  const scale = Plot.scale({ color: heatScale(palette) });
  return (value) => {
    const back = String(scale.apply(value));
    return contrast(back, "#000000") >= contrast(back, "#ffffff") ? "#000000" : "#ffffff";
  };
}
