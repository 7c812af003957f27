// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { count, DASH, duration, plural } from "../../common/format";
import { Name } from "../../common/name";
import type { Invited, InvitedMany, Overview, Person, Rate, Settings } from "../api";
import { ChangeDialog, ChangesDialog, type Change } from "./change";
import { Invite, InviteMany, LinksDialog } from "./invite";
import { LinkDialog } from "./link";
import { ago, decimals, share } from "./words";

/** Whether people are told about warnings of a person: not after they have left. */
export function counts({ state }: Person): boolean {
  return state === "active" || state === "paused";
}

function warningText(warning: Person["warnings"][number], person: Person, settings: Settings): string {
  switch (warning) {
    case "found":
      return `misses original labels: chose ${share(person.found)}, limit ${share(settings.least_found)}`;
    case "few_verbs":
      return `chooses few verbs: ${decimals(person.verbs_per_clip, 1)} per clip, limit ${decimals(settings.least_verbs, 1)}`;
    case "many_verbs":
      return `chooses many verbs: ${share(person.chosen_share)} of the candidates, limit ${share(settings.most_chosen)}`;
    case "fast":
      return `answers too fast: median ${decimals(person.seconds_per_clip, 1)} s, limit ${decimals(settings.least_seconds, 1)} s`;
    case "same_keys":
      return `presses the same keys in ${share(person.same_keys)} of the answers, limit ${share(settings.most_same_keys)}`;
    case "agreement":
      return `low agreement with others: κ = ${decimals(person.agreement, 2)} over ${plural(person.compared, "answer")}, limit ${decimals(settings.least_agreement, 2)}`;
    case "gold":
      return `fails gold clips: F1 = ${decimals(person.gold.f1, 2)} over ${plural(person.gold.answers, "answer")}, pass mark ${decimals(settings.least_gold, 2)}`;
  }
}

/** "92 %" with the interval "85–96" below. */
function RateCell({ title, rate }: { title: string; rate: Rate | undefined }) {
  const percent = (value: number) => (100 * value).toFixed(0);
  return (
    <td data-title={title} class="number">
      {share(rate?.value ?? null)}
      {rate && <span class="note interval">{`${percent(rate.low)}–${percent(rate.high)}`}</span>}
    </td>
  );
}

/** Whether a person is signed in or can sign in: "2 devices", "link not used", "link expired". */
function access({ link, devices, state }: Person): string {
  if (state === "removed") return "";
  const known = devices ? [plural(devices, "device")] : [];
  if (link === "open") known.push(devices ? "link open" : "link not used");
  if (link === "expired" && !devices) known.push("link expired");
  return known.length ? known.join(", ") : "signed out";
}

interface RowProps {
  person: Person;
  /** Whether the project has gold clips. */
  gold: boolean;
  settings: Settings;
  change: () => void;
}

function Row({ person, gold, settings, change }: RowProps) {
  const warned = counts(person) && person.warnings.length > 0;
  return (
    <tr class={person.state}>
      <th scope="row">
        <Name text={person.name} />
        {person.state !== "active" && (
          <span class="badge">
            {person.state}
            {person.paused_for === "gold" && ": gold clips"}
          </span>
        )}
        {person.state === "active" && person.last_seen !== null && !person.practised && (
          <span class="badge">practising</span>
        )}
        {warned && (
          <ul class="warnings">
            {person.warnings.map((warning) => (
              <li key={warning}>⚠ {warningText(warning, person, settings)}</li>
            ))}
          </ul>
        )}
      </th>
      <td data-title="Last seen" title={person.last_seen ?? undefined}>
        {ago(person.last_seen, Date.now())}
        <span class="note access">{access(person)}</span>
      </td>
      <td data-title="Answers" class="number">
        {person.answers ? (
          <a href={`#person=${person.id}`} aria-label={`Answers of ${person.name}`}>
            {count(person.answers)}
          </a>
        ) : (
          0
        )}
      </td>
      <td data-title="Found" class="number">
        {share(person.found)}
      </td>
      <td data-title="Verbs per clip" class="number">
        {decimals(person.verbs_per_clip, 1)}
      </td>
      <td data-title="Time per clip" class="number">
        {duration(person.seconds_per_clip)}
      </td>
      <td data-title="κ with others" class="number" title={`over ${plural(person.compared, "answer")}`}>
        {decimals(person.agreement, 2)}
        {person.agreement !== null && <span class="note"> of {count(person.compared)}</span>}
      </td>
      <td data-title="Rank" class="number">
        {person.quality ? count(person.quality.rank) : DASH}
      </td>
      <RateCell title="Sensitivity" rate={person.quality?.sensitivity} />
      <RateCell title="Specificity" rate={person.quality?.specificity} />
      {gold && (
        <td
          data-title="F1 on gold"
          class="number"
          title={`${count(person.gold.hits)} hits, ${count(person.gold.wrong)} wrong, ${count(person.gold.missed)} missed`}
        >
          {decimals(person.gold.f1, 2)}
          {person.gold.answers > 0 && <span class="note interval">of {count(person.gold.answers)}</span>}
        </td>
      )}
      <td class="changes">
        {person.state !== "removed" && (
          <button type="button" aria-label={`Change: ${person.name}`} onClick={change}>
            Change…
          </button>
        )}
      </td>
    </tr>
  );
}

/** The participants with their statistics, and actions. */
export function People({ overview, refresh }: { overview: Overview; refresh: () => void }) {
  const [link, setLink] = useState<Invited | null>(null);
  const [links, setLinks] = useState<InvitedMany | null>(null);
  const [changing, setChanging] = useState<{ id: number; change: Change | null } | null>(null);
  const { people, settings } = overview;
  const person = people.find(({ id }) => id === changing?.id);
  const show = (invited: Invited | null) => {
    setChanging(null);
    setLink(invited);
    refresh();
  };
  return (
    <>
      <h1 class="hidden">People</h1>
      <section class="panel-box invite">
        <h2>Invite people</h2>
        <Invite invited={show} />
        <InviteMany
          invited={(many) => {
            setLinks(many);
            refresh();
          }}
        />
      </section>
      <section class="panel-box">
        <h2>Participants</h2>
        {people.length === 0 ? (
          <p class="note">No participants yet. Each clip needs {settings.people} different people.</p>
        ) : (
          <table class="people">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Last seen</th>
                <th scope="col" class="number">
                  Answers
                </th>
                <th scope="col" class="number">
                  Originals
                  <br />
                  found
                </th>
                <th scope="col" class="number">
                  Verbs
                  <br />
                  per clip
                </th>
                <th scope="col" class="number">
                  Time
                  <br />
                  per clip
                </th>
                <th scope="col" class="number">
                  κ with
                  <br />
                  others
                </th>
                <th scope="col" class="number">
                  Rank
                </th>
                <th scope="col" class="number">
                  Sensi&shy;tivity
                </th>
                <th scope="col" class="number">
                  Speci&shy;ficity
                </th>
                {overview.gold > 0 && (
                  <th scope="col" class="number">
                    F1 on
                    <br />
                    gold
                  </th>
                )}
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {people.map((each) => (
                <Row
                  key={each.id}
                  person={each}
                  gold={overview.gold > 0}
                  settings={settings}
                  change={() => setChanging({ id: each.id, change: null })}
                />
              ))}
            </tbody>
          </table>
        )}
        <p class="note">
          Sensitivity is the share of the verbs that apply which a person chooses, specificity the share of
          the other verbs which they leave, each with its 95 % interval. Both are estimated from the answers
          of all, weighted by how often each person is right, so they improve as clips get more answers. The
          rank is by their sum; somebody who chooses everything, nothing or anything at random has a sum of
          100 %.
          {overview.modelled_answers < overview.answers &&
            ` With this many answers they are estimated every 20 seconds, last from ${plural(overview.modelled_answers, "answer")}.`}
        </p>
        <p class="note">
          κ with others is Cohen’s kappa between a person’s choices and those of the others on the same clips:
          1 is perfect agreement, 0 is chance. The number of compared answers is shown beside it. ⚠ marks,
          from ten answers on, people who often miss the original label (it is among the verbs, unmarked),
          choose few or many verbs, answer fast, press the same keys, or have low agreement with others. Check
          the disputes before you exclude anybody. The limits can be changed in the settings.
        </p>
        {overview.gold > 0 && (
          <p class="note">
            F1 on gold is 2 × hits / (2 × hits + wrong + missed), over all verbs of the gold clips that a
            person has answered: 1 is perfect, 0 means that no chosen verb was right. The number of these
            clips is shown beside it. Answers to gold clips are in no other number.
          </p>
        )}
      </section>
      {link && <LinkDialog invited={link} days={settings.link_days} close={() => setLink(null)} />}
      {links && <LinksDialog invited={links} close={() => setLinks(null)} />}
      {changing && person && !changing.change && (
        <ChangesDialog
          person={person}
          close={() => setChanging(null)}
          choose={(change) => setChanging({ ...changing, change })}
        />
      )}
      {changing?.change && person && (
        <ChangeDialog
          key={`${changing.id} ${changing.change}`}
          change={changing.change}
          person={person}
          close={() => setChanging(null)}
          done={show}
        />
      )}
    </>
  );
}
