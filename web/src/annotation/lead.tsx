// SPDX-License-Identifier: MIT
import { render } from "preact";

import "../common/common.css";
import { ThemeProvider } from "../common/theme";

render(
  <ThemeProvider>
    <main>
      <h1>Lead the annotation</h1>
    </main>
  </ThemeProvider>,
  document.getElementById("page")!,
);
