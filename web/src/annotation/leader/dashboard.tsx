// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { count, shortened } from "../../common/format";
import { ThemeChoice } from "../../common/theme";
import type { Overview } from "../api";
import { post } from "../client";
import { Disputes } from "./disputes";
import { People } from "./people";
import { ProgressView } from "./progress";
import { useOverview, type Live } from "./overview";
import { Reports } from "./reports";
import { SettingsForm } from "./settings";

const VIEWS = ["progress", "people", "disputes", "reports", "settings"] as const;
type View = (typeof VIEWS)[number];

function viewOf(hash: string): View {
  return VIEWS.find((view) => hash === `#${view}`) ?? "progress";
}

function useView(): View {
  const [view, setView] = useState(() => viewOf(location.hash));
  useEffect(() => {
    const update = () => setView(viewOf(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return view;
}

function Views({ view, overview }: { view: View; overview: Overview }) {
  const warned = overview.people.filter(
    ({ state, warnings }) => state !== "excluded" && warnings.length,
  ).length;
  const titles: Record<View, string> = {
    progress: "Progress",
    people: warned ? `People ⚠ ${warned}` : "People",
    disputes: `Disputes ${count(overview.disputes)}`,
    reports: overview.reported ? `Reports ⚠ ${count(overview.reported)}` : "Reports",
    settings: "Settings",
  };
  return (
    <nav class="views" aria-label="Views">
      {VIEWS.map((each) => (
        <a key={each} href={`#${each}`} aria-current={each === view ? "page" : undefined}>
          {titles[each]}
        </a>
      ))}
    </nav>
  );
}

function Body({ view, live, overview }: { view: View; live: Live; overview: Overview }) {
  if (view === "people") return <People overview={overview} refresh={live.refresh} />;
  if (view === "disputes") return <Disputes known={overview.disputes} />;
  if (view === "reports") return <Reports known={overview.reported} refresh={live.refresh} />;
  if (view === "settings") return <SettingsForm settings={overview.settings} refresh={live.refresh} />;
  return <ProgressView overview={overview} />;
}

/** The dashboard, updated while it is visible. */
export function Dashboard({ signedOut }: { signedOut: () => void }) {
  const view = useView();
  const live = useOverview(signedOut);
  const { overview, lost } = live;
  useEffect(() => {
    if (overview) document.title = `${shortened(overview.project, 60)}: annotation`;
  }, [overview?.project]);
  const leave = () => void post("/api/leader/logout").then(signedOut, signedOut);
  return (
    <>
      <header class="top">
        <bdi class="project" title={overview?.project}>
          {overview?.project ?? ""}
        </bdi>
        {overview && <Views view={view} overview={overview} />}
        <div class="aside">
          <ThemeChoice />
          <button type="button" class="quiet" onClick={leave}>
            Sign out
          </button>
        </div>
      </header>
      <main>
        <p class={lost ? "lost" : ""} role="status">
          {lost}
        </p>
        {overview ? <Body view={view} live={live} overview={overview} /> : <p class="note">One moment…</p>}
      </main>
    </>
  );
}
