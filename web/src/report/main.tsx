// SPDX-License-Identifier: MIT
import { render } from "preact";

import { ThemeProvider } from "../common/theme";
import "../common/common.css";
import type { Report } from "./data";
import { Page } from "./page";
import "./report.css";

/** The report data in the page, or an error message. */
function readReport(): Report | string {
  const text = document.getElementById("report-data")?.textContent ?? "";
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    return "This page contains no report. Create one with “manyverbs report”.";
  }
  return report.format === 1 ? report : `Expected report format 1, found ${report.format}.`;
}

const report = readReport();
if (typeof report !== "string") document.title = report.title;
render(
  <ThemeProvider>
    {typeof report === "string" ? <main class="note">{report}</main> : <Page report={report} />}
  </ThemeProvider>,
  document.getElementById("page")!,
);
