// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { count, shortened } from "../../common/format";
import { ThemeChoice } from "../../common/theme";
import type { Overview } from "../api";
import { post } from "../client";
import { ClipPage } from "./clip";
import { Clips } from "./clips";
import { Disputes } from "./disputes";
import { ExportView } from "./export";
import { LeadersView } from "./leaders";
import { LogView } from "./log";
import { counts, People } from "./people";
import { PersonAnswers } from "./person";
import { ProgressView } from "./progress";
import { useOverview, type Live } from "./overview";
import { Remarks } from "./remarks";
import { Reports } from "./reports";
import { SettingsForm } from "./settings";
import { TextsView } from "./texts";

const VIEWS = [
  "progress",
  "people",
  "disputes",
  "clips",
  "reports",
  "remarks",
  "texts",
  "export",
  "settings",
  "leaders",
  "log",
] as const;
type View = (typeof VIEWS)[number];

/** A view, or one clip or person in it: "#clip=12" is in the view of the clips. */
interface Place {
  view: View;
  clip?: number;
  person?: number;
}

function viewOf(hash: string): Place {
  const [, kind, number] = hash.match(/^#(clip|person)=(\d+)$/) ?? [];
  if (kind === "clip") return { view: "clips", clip: Number(number) };
  if (kind === "person") return { view: "people", person: Number(number) };
  return { view: VIEWS.find((view) => hash === `#${view}`) ?? "progress" };
}

function useView(): Place {
  const [view, setView] = useState(() => viewOf(location.hash));
  useEffect(() => {
    const update = () => setView(viewOf(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return view;
}

function Views({ view, overview }: { view: View; overview: Overview }) {
  const warned = overview.people.filter((person) => counts(person) && person.warnings.length).length;
  const titles: Record<View, string> = {
    progress: "Progress",
    people: warned ? `People ⚠ ${warned}` : "People",
    disputes: `Disputes ${count(overview.disputes)}`,
    clips: "Clips",
    reports: overview.reported ? `Reports ⚠ ${count(overview.reported)}` : "Reports",
    remarks: overview.remarks ? `Comments ${count(overview.remarks)}` : "Comments",
    texts: "Texts",
    export: "Export",
    settings: "Settings",
    leaders: "Leaders",
    log: "Log",
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

interface BodyProps {
  place: Place;
  live: Live;
  overview: Overview;
  signedOut: () => void;
}

function Body({ place, live, overview, signedOut }: BodyProps) {
  const { view, clip, person } = place;
  if (clip !== undefined) return <ClipPage key={clip} task={clip} refresh={live.refresh} />;
  if (person !== undefined) return <PersonAnswers key={person} id={person} />;
  if (view === "clips") return <Clips />;
  if (view === "texts") return <TextsView />;
  if (view === "export") return <ExportView />;
  if (view === "leaders") return <LeadersView signedOut={signedOut} />;
  if (view === "log") return <LogView />;
  if (view === "people") return <People overview={overview} refresh={live.refresh} />;
  if (view === "disputes") return <Disputes known={overview.disputes} />;
  if (view === "reports") return <Reports known={overview.reported} refresh={live.refresh} />;
  if (view === "remarks") return <Remarks known={`${overview.remarks} ${overview.other_verbs}`} />;
  if (view === "settings")
    return <SettingsForm settings={overview.settings} gold={overview.gold} refresh={live.refresh} />;
  return <ProgressView overview={overview} />;
}

/** The dashboard, updated while it is visible. */
export function Dashboard({ name, signedOut }: { name: string; signedOut: () => void }) {
  const place = useView();
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
        {overview && <Views view={place.view} overview={overview} />}
        <div class="aside">
          <ThemeChoice />
          <div class="account" role="group" aria-label={`Signed in as ${name}`}>
            <bdi class="who" title={name}>
              {shortened(name, 60)}
            </bdi>
            <button type="button" class="quiet" onClick={leave}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main>
        <p class={lost ? "lost" : ""} role="status">
          {lost}
        </p>
        {overview ? (
          <Body place={place} live={live} overview={overview} signedOut={signedOut} />
        ) : (
          <p class="note">One moment…</p>
        )}
      </main>
    </>
  );
}
