// SPDX-License-Identifier: MIT
import { count } from "../../common/format";
import { Name } from "../../common/name";
import type { Log as Page, LogEntry } from "../api";
import { usePaged } from "./paged";
import { ShowMore } from "./show_more";
import { moment } from "./words";

/** Sentences of actions; {} is the subject. Others are "action subject". */
const SENTENCES: Record<string, string> = {
  "changed the state": "changed the state of {}",
  "created a new link": "created a new link for {}",
  "created a set-up link": "created a set-up link for {}",
  "ended the practice": "ended the practice of {}",
  "undid the decision": "undid the decision on {}",
  "deleted reports": "deleted reports of {}",
  "invited a leader": "invited {} as a leader",
  "removed a leader": "removed the leader {}",
};

/** Sentences of changes of the state, by the details. */
const STATES: Record<string, string> = {
  "active to paused": "paused {}",
  "paused to active": "resumed {}",
  "active to excluded": "excluded {}",
  "paused to excluded": "excluded {}",
  "excluded to active": "included {} again",
};

/** Of actions whose subject is who did it. */
const OWN: Record<string, string> = {
  "set a password": "set their password",
  "changed the password": "changed their password",
};

/** The sentence with {} for the subject, and what the details add to it. */
function parts({ who, action, subject, details }: LogEntry): { sentence: string; details: string } {
  const [change = "", ...why] = details.split(", ");
  const state = STATES[change];
  if (action === "changed the state" && state) return { sentence: state, details: why.join(", ") };
  const own = subject === who ? OWN[action] : undefined;
  return { sentence: own ?? SENTENCES[action] ?? (subject ? `${action} {}` : action), details };
}

function Subject({ subject }: { subject: string }) {
  const [, task] = subject.match(/^clip (\d+)$/) ?? [];
  return task ? <a href={`#clip=${task}`}>clip no. {task}</a> : <Name text={subject} />;
}

/** Changes of settings are "hold_minutes: 30 to 20, quota: 0 to 20". */
function detailsText(action: string, details: string): string {
  if (action !== "changed settings") return details;
  return details.replace(/\b\w+(?=: )/g, (key) => key.replaceAll("_", " "));
}

/** "paused Ann", "renamed Ann to Anna", "changed settings: people: 3 to 5" */
function Sentence({ entry }: { entry: LogEntry }) {
  const { sentence, details } = parts(entry);
  const [before, after] = sentence.split("{}");
  const renamed = entry.action === "renamed";
  return (
    <>
      {before}
      {after !== undefined && <Subject subject={entry.subject} />}
      {after}
      {details && (
        <>
          {renamed ? " to " : ": "}
          {renamed ? <Name text={details} /> : <bdi>{detailsText(entry.action, details)}</bdi>}
        </>
      )}
    </>
  );
}

function Row({ entry }: { entry: LogEntry }) {
  return (
    <tr>
      <td data-title="When" class="when">
        <time dateTime={entry.time} title={entry.time}>
          {moment(entry.time)}
        </time>
      </td>
      <td data-title="Who">
        <Name text={entry.who.replace(/^\((.*)\)$/, "$1")} />
      </td>
      <td data-title="What" class="what">
        <Sentence entry={entry} />
      </td>
    </tr>
  );
}

/** What leaders, the command line and the server itself changed, newest first. */
export function LogView() {
  const list = usePaged<Page, LogEntry>(
    "/api/leader/log?",
    ({ entries }) => entries,
    ({ id }) => id,
  );
  const total = list.page?.total;
  return (
    <section class="panel-box">
      <div class="heading">
        <h1>Log</h1>
        <button type="button" onClick={() => void list.load(0)}>
          Refresh
        </button>
      </div>
      <p class="note">
        What leaders changed, newest first, in the time zone of this computer. Entries cannot be changed or
        deleted.{" "}
        {total !== undefined && total > 0 && (total === 1 ? "One entry." : `${count(total)} entries.`)}
      </p>
      <p class="error" role="alert">
        {list.failure}
      </p>
      {total === 0 && <p>Nothing has been changed yet.</p>}
      {list.entries.length > 0 && (
        <table class="people log">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {list.entries.map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      <ShowMore list={list} />
    </section>
  );
}
