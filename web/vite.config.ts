// SPDX-License-Identifier: MIT
import { defineConfig } from "vite";

import { singleFile } from "./single_file";

// One page per build, named by the mode (`vite build --mode report`): pages that are built together would
// share chunks, but each must be a single file.
export default defineConfig(({ mode }) => ({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2020",
    emptyOutDir: false,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: { input: `${mode}.html` },
  },
  plugins: [singleFile()],
}));
