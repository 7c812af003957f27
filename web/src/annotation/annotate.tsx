// SPDX-License-Identifier: MIT
import { render } from "preact";

import "../common/common.css";
import { ThemeProvider } from "../common/theme";
import "./annotation.css";
import { App } from "./annotator/app";
import "./annotator/annotator.css";

render(
  <ThemeProvider>
    <App />
  </ThemeProvider>,
  document.getElementById("page")!,
);
