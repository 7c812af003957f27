// SPDX-License-Identifier: MIT
import { useMemo } from "preact/hooks";

import { shortened } from "../common/format";
import { ThemeChoice } from "../common/theme";
import type { Report } from "./data";
import { sections, type Section } from "./sections";

function Contents({ all }: { all: Section[] }) {
  return (
    <nav class="contents" aria-label="Contents">
      <ol>
        {all.map((section) => (
          <li key={section.id}>
            <a href={`#${section.id}`}>{shortened(section.title, 40)}</a>
            <ol>
              {section.parts.map(([id, title]) => (
                <li key={id}>
                  <a href={`#${id}`}>{shortened(title, 36)}</a>
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function Page({ report }: { report: Report }) {
  const all = useMemo(() => sections(report), [report]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the results
      </a>
      <header class="top">
        <div>
          <h1 title={report.title}>
            <bdi>{shortened(report.title, 120)}</bdi>
          </h1>
          <p class="note">Created by {report.program}</p>
        </div>
        <ThemeChoice />
      </header>
      <Contents all={all} />
      <main id="content" tabIndex={-1}>
        {all.map(({ id, title, Body }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id} title={title}>
              <bdi>{shortened(title, 100)}</bdi>
            </h2>
            <Body />
          </section>
        ))}
        {all.length === 0 && <p class="note">This report contains no experiment and no data set.</p>}
      </main>
    </>
  );
}
