// SPDX-License-Identifier: MIT

/** A portable file name: "P+S, K = 5" becomes "p-s-k-5". */
export function fileName(...parts: string[]): string {
  const text = parts.join(" ").toLowerCase().replace(/τ/g, "tau").normalize("NFKD");
  return (text.match(/[a-z0-9]+/g) ?? ["figure"]).join("-").slice(0, 80);
}

/** Saves a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  // The browser needs the URL until it has started to read.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
