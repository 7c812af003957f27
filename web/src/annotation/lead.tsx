// SPDX-License-Identifier: MIT
import { render } from "preact";

import "../common/common.css";
import { ThemeProvider } from "../common/theme";
import "./annotation.css";
import { App } from "./leader/app";
import "./leader/leader.css";

render(
  <ThemeProvider>
    <App />
  </ThemeProvider>,
  document.getElementById("page")!,
);
