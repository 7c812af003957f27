// SPDX-License-Identifier: MIT
import { render } from "preact";
import "./report.css";
render(<main>report</main>, document.getElementById("page")!);
