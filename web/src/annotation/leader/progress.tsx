// SPDX-License-Identifier: MIT
import { count, DASH, plural } from "../../common/format";
import type { Overview } from "../api";
import { agreementWord, decimals } from "./words";

function Parts({ clips, needed }: { clips: Overview["clips"]; needed: number }) {
  const parts: [string, string, number][] = [
    [
      "complete",
      `answered by ${plural(needed, "person").replace("persons", "people")} or more, or decided by you`,
      clips.complete,
    ],
    ["begun", "some answers, but not enough", clips.begun],
    ["open", "not answered yet", clips.total - clips.complete - clips.begun],
  ];
  return (
    <>
      <div class="parts" aria-hidden="true">
        {parts.map(([name, , number]) => (
          <span key={name} class={name} style={{ flexGrow: number }} />
        ))}
      </div>
      <ul class="legend">
        {parts.map(([name, meaning, number]) => (
          <li key={name}>
            <span class={`swatch ${name}`} aria-hidden="true" />
            <strong>{count(number)}</strong> {name} <span class="note">{meaning}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Tile({ title, value, note }: { title: string; value: string; note: string }) {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="note">{note}</span>
      </dd>
    </div>
  );
}

function hourText(hour: string, options: Intl.DateTimeFormatOptions): string {
  return new Date(hour).toLocaleString("en-GB", options);
}

/** One column per hour. If there are many, only some show the hour, and only the highest shows its number. */
function AnswersPerHour({ hours }: { hours: Overview["answers_per_hour"] }) {
  if (!hours.length) return <p class="note">No answers yet.</p>;
  const day = (hour: string) => hourText(hour, { weekday: "short", day: "numeric", month: "long" });
  const [first, last] = [day(hours[0]!.hour), day(hours[hours.length - 1]!.hour)];
  const most = Math.max(...hours.map(({ answers }) => answers));
  const step = Math.ceil(hours.length / 6);
  return (
    <>
      <ol class="hours" aria-label="Answers per hour, in the last hours with answers">
        {hours.map(({ hour, answers }, at) => {
          const when = hourText(hour, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
          return (
            <li key={hour} title={`${when}: ${plural(answers, "answer")}`}>
              <span class="hidden">{when}: </span>
              <span class={hours.length > 12 && answers < most ? "value off" : "value"}>
                {count(answers)}
              </span>
              <span class="column" style={{ height: `${(10 * answers) / most}rem` }} aria-hidden="true" />
              <span class={at % step === 0 ? "hour" : "hour off"} aria-hidden="true">
                {hourText(hour, { hour: "2-digit", minute: "2-digit" })}
              </span>
            </li>
          );
        })}
      </ol>
      <p class="note">
        {first === last ? first : `${first} to ${last}`}. Hours without answers are not shown.
      </p>
    </>
  );
}

const MEASURES: [keyof Overview["agreement"], string, string][] = [
  ["kappa_per_verb", "Fleiss’ κ, averaged over verbs", "agreement on each verb separately"],
  ["kappa_pooled", "Fleiss’ κ, pooled", "all decisions on all verbs together"],
  ["kappa_per_clip", "Fleiss’ κ, averaged over clips", "agreement on each clip separately"],
  ["alpha", "Krippendorff’s α", "pooled, corrected for different numbers of answers per clip"],
];

function Agreement({ agreement }: { agreement: Overview["agreement"] }) {
  const main = agreement.kappa_per_verb;
  return (
    <>
      <p>
        {main === null
          ? "There are not enough answers to the same clips yet."
          : `Agreement per verb is ${agreementWord(main)} (κ = ${decimals(main, 2)}).`}
      </p>
      <dl class="agreement">
        {MEASURES.map(([key, title, meaning]) => {
          const value = agreement[key];
          return (
            <div key={key}>
              <dt>
                {title} <span class="note">{meaning}</span>
              </dt>
              <dd>
                <strong>{decimals(value, 2)}</strong> {value === null ? "" : agreementWord(value)}
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="note">
        The words are those of Landis and Koch: below 0 poor, up to 0.2 slight, 0.4 fair, 0.6 moderate, 0.8
        substantial, 1 almost perfect. Naming actions is a matter of taste: the paper behind this method
        reports 0.52.
      </p>
    </>
  );
}

function leftOut(clips: Overview["clips"]): string {
  const reasons: [number, string][] = [
    [clips.doubtful, "most not confident"],
    [clips.nothing, "most saw nothing happen"],
    [clips.other, "most saw another action"],
    [clips.no_verb, "no common verb"],
    [clips.unplayable, "do not play"],
    [clips.left_out, "by you"],
  ];
  const some = reasons.filter(([number]) => number > 0);
  return some.length ? some.map(([number, why]) => `${count(number)} ${why}`).join(", ") : "of the result";
}

/** Whether the round is closed, or when it will be. */
function RoundEnd({ settings: { closed, deadline } }: { settings: Overview["settings"] }) {
  if (!closed && !deadline) return null;
  const when = deadline && hourText(deadline, { dateStyle: "full", timeStyle: "short" });
  const isOver = closed || Date.parse(deadline!) <= Date.now();
  return (
    <p class="round-end">
      {closed
        ? "The round is closed."
        : isOver
          ? `The round ended on ${when}.`
          : `The round ends on ${when}.`}{" "}
      {isOver && "No clips are assigned. "}
      <a href="#settings">Settings</a>
    </p>
  );
}

/** Progress, speed and agreement. */
export function ProgressView({ overview }: { overview: Overview }) {
  const { clips } = overview;
  const active = overview.people.filter(({ state }) => state === "active").length;
  return (
    <>
      <section class="panel-box">
        <h1>
          {count(clips.complete)} of {plural(clips.total, "clip")} complete
        </h1>
        <Parts clips={clips} needed={overview.settings.people} />
        <RoundEnd settings={overview.settings} />
      </section>
      <dl class="tiles">
        <Tile title="Answers" value={count(overview.answers)} note="in total" />
        <Tile title="People" value={count(active)} note={`active, of ${overview.people.length} invited`} />
        <Tile
          title="Left out"
          value={count(
            clips.doubtful + clips.nothing + clips.other + clips.no_verb + clips.unplayable + clips.left_out,
          )}
          note={leftOut(clips)}
        />
        <Tile
          title="Labels per clip"
          value={overview.labels_per_clip === null ? DASH : overview.labels_per_clip.toFixed(1)}
          note={
            clips.settled
              ? `in the result so far, ${plural(clips.settled, "clip")} settled by you`
              : "in the result so far"
          }
        />
      </dl>
      <div class="side-by-side">
        <section class="panel-box">
          <h2>Answers per hour</h2>
          <AnswersPerHour hours={overview.answers_per_hour} />
        </section>
        <section class="panel-box">
          <h2>Agreement</h2>
          <Agreement agreement={overview.agreement} />
        </section>
      </div>
    </>
  );
}
