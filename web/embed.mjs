// SPDX-License-Identifier: MIT
//
// node embed.mjs NAME PAGE.html OUT.cpp: the page as the constant manyverbs::NAME of web/pages.h.
import { readFileSync, writeFileSync } from "node:fs";

const [name, page, out] = process.argv.slice(2);
const text = readFileSync(page, "utf8");
if (text.includes(')page"')) throw new Error(`${page} contains the end mark of the C++ literal`);
writeFileSync(
  out,
  `// Made by web/embed.mjs.
#include "web/pages.h"

using namespace std::string_view_literals;
constinit const std::string_view manyverbs::${name} = R"page(${text})page"sv;
`,
);
