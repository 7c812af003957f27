// SPDX-License-Identifier: MIT
//
// Checks of legibility; these functions run in the browser.

/** Texts of charts below 10 pixels, and tick labels that touch each other or leave their chart. */
export function crampedLabels(): string[] {
  const found: string[] = [];
  const boxes = (texts: Iterable<Element>) =>
    [...texts]
      .filter((text) => text.textContent!.trim())
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
  for (const chart of document.querySelectorAll<SVGElement>("figure svg")) {
    const where = chart.closest("figure")!.id;
    const frame = chart.getBoundingClientRect();
    for (const text of chart.querySelectorAll("text"))
      if (parseFloat(getComputedStyle(text).fontSize) < 10)
        found.push(`${where}: small: ${text.textContent}`);
    for (const axis of chart.querySelectorAll('[aria-label$="tick label"]')) {
      const labels = boxes(axis.querySelectorAll("text"));
      for (const { text, box } of labels)
        if (box.left < frame.left - 1 || box.right > frame.right + 1)
          found.push(`${where}: cut off: ${text}`);
      labels.forEach((one, at) => {
        for (const other of labels.slice(at + 1)) {
          const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          // Text boxes have some space above and below the letters.
          if (wide > 0 && high > 3) found.push(`${where}: ${one.text} touches ${other.text}`);
        }
      });
    }
  }
  return found;
}

/** Texts with a contrast below 4.5, with the contrast. */
export function faintTexts(): string[] {
  type Colour = [number, number, number, number];
  const parse = (colour: string): Colour => {
    const [r = 0, g = 0, b = 0, a = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    return [r, g, b, a];
  };
  const luminance = ([r, g, b]: Colour) => {
    const [x, y, z] = [r, g, b].map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (one: Colour, other: Colour) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element: Element): Colour => {
    const cell = element.closest("svg") && cellUnder(element);
    if (cell) return parse(getComputedStyle(cell).fill);
    for (let at: Element | null = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return parse("rgb(255, 255, 255)");
  };
  const cellUnder = (text: Element): Element | undefined => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return [...text.closest("svg")!.querySelectorAll('[aria-label="cell"] rect')].find((rect) => {
      const box = rect.getBoundingClientRect();
      return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    });
  };
  const found = new Set<string>();
  const walker = document.createTreeWalker(document.getElementById("page")!, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement!;
    const text = walker.currentNode.textContent!.trim();
    // Disabled controls may have low contrast.
    if (
      !text ||
      element.closest("style, noscript, option, :disabled, .hidden") ||
      !element.getClientRects().length
    )
      continue;
    const style = getComputedStyle(element);
    const ratio = contrast(parse(element.closest("svg") ? style.fill : style.color), behind(element));
    if (ratio < 4.5) found.add(`${element.closest("figure")?.id}: ${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return [...found];
}
