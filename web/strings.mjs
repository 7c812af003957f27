// SPDX-License-Identifier: MIT
//
// node strings.mjs OUT.json: the texts of the annotator's page, by language and key.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { buildSync } from "esbuild";

const [out] = process.argv.slice(2);
const { outputFiles } = buildSync({
  entryPoints: ["src/annotation/strings/languages.ts"],
  bundle: true,
  format: "esm",
  write: false,
});
const script = Buffer.from(outputFiles[0].contents).toString("base64");
const { LANGUAGES } = await import(`data:text/javascript;base64,${script}`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, JSON.stringify(LANGUAGES, null, 1));
