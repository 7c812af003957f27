// SPDX-License-Identifier: MIT

/** Names that have broken pages, tables and files before. */
export const NASTY = {
  script: '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">',
  quotes: `say "cheese", it's 'fine'; \\ & done`,
  unicode: "切る / couper / 자르다 ± τ 🥕",
  rightToLeft: "تقطيع الجزر",
  long: "peel ".repeat(60).trim(),
  template: "${window.hacked = 3} {{7*7}} $& REPORT_DATA",
};

/** The name of a class: the nasty ones first. */
export function className(at: number): string {
  return Object.values(NASTY)[at] ?? `verb ${at}`;
}
