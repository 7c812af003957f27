// SPDX-License-Identifier: MIT
import { render } from "preact";

import { ThemeProvider } from "../common/theme";
import "../common/common.css";
import type { Report } from "./data";
import { Page } from "./page";
import "./report.css";

/** The report that the program wrote into the page; a sentence where there is none. */
function readReport(): Report | string {
  const text = document.getElementById("report-data")?.textContent ?? "";
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    return "This page holds no report: “manyverbs report” makes one.";
  }
  return report.format === 1 ? report : `This page shows reports of format 1, not ${report.format}.`;
}

const report = readReport();
if (typeof report !== "string") document.title = report.title;
render(
  <ThemeProvider>
    {typeof report === "string" ? <main class="note">{report}</main> : <Page report={report} />}
  </ThemeProvider>,
  document.getElementById("page")!,
);
