// SPDX-License-Identifier: MIT
import { defineConfig } from "vite";

import { singleFile } from "./single_file";

// One page a build, named by the mode (`vite build --mode report`), because pages that are built
// together would share chunks, and each must stand alone.
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
