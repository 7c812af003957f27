// SPDX-License-Identifier: MIT
import { useId, useRef, useState } from "preact/hooks";

import { csv } from "../../common/csv";
import { plural } from "../../common/format";
import { Name } from "../../common/name";
import { save } from "../../common/save";
import type { Invited, InvitedMany } from "../api";
import { post, HttpError } from "../client";
import { Dialog } from "../dialog";
import { Form } from "./form";
import { copied } from "./link";
import { NameForm } from "./name_form";
import { listFault, namesIn } from "./name_list";

/** Invites one person. */
export function Invite({ invited }: { invited: (invited: Invited) => void }) {
  return (
    <NameForm
      label="Create a personal link"
      note="Annotators see only their own name."
      submit={async (name) => invited(await post<Invited>("/api/leader/people", { name }))}
    />
  );
}

/** The reply may have got lost: then the people are invited, but nobody has seen their links. */
async function inviteAll(names: string[]): Promise<InvitedMany> {
  try {
    return await post<InvitedMany>("/api/leader/people/many", { names });
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(
      503,
      "the server did not answer. These people may have been invited already: try again, and create new links for those who are",
    );
  }
}

/** Invites everybody in a list. */
export function InviteMany({ invited }: { invited: (invited: InvitedMany) => void }) {
  const id = useId();
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const names = namesIn(text);
  const fault = listFault(names);
  const error = tried || names.length > 1 ? fault : "";
  return (
    <details class="many">
      <summary>Invite many people at once</summary>
      <Form
        label="Create personal links"
        invalid={fault !== ""}
        tried={() => setTried(true)}
        submit={async () => {
          invited(await inviteAll(names));
          setText("");
          setTried(false);
        }}
      >
        <div class="entry">
          <label for={id}>Names</label>
          <p class="note" id={`${id}-note`}>
            One name per line, or a table from a spreadsheet or CSV file with a column “name”. People who are
            invited already are skipped.
          </p>
          <textarea
            id={id}
            rows={8}
            value={text}
            spellcheck={false}
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-note ${id}-count ${id}-error`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <p class="note" id={`${id}-count`} role="status">
            {names.length > 0 && `${plural(names.length, "name").replace(/^one/, "One")}.`}
          </p>
          <p class="error" id={`${id}-error`}>
            {error}
          </p>
        </div>
      </Form>
    </details>
  );
}

/** The personal links of many people, to copy or to save. They are shown only once. */
export function LinksDialog({ invited, close }: { invited: InvitedMany; close: () => void }) {
  const text = useRef<HTMLTextAreaElement>(null);
  const [state, setState] = useState("");
  const [kept, setKept] = useState(false);
  const [asked, setAsked] = useState(false);
  const links = invited.people.filter(({ link }) => link !== null);
  const known = invited.people.length - links.length;
  const file = csv({ columns: ["name", "link"], rows: links.map(({ person, link }) => [person.name, link]) });
  const copy = async (button: HTMLButtonElement) => {
    const done = await copied(text.current!);
    button.focus();
    setState(done ? "Copied." : "Your browser does not permit copying. Download the file instead.");
    if (done) setKept(true);
  };
  const download = () => {
    save("links.csv", "text/csv", file);
    setState("Saved as links.csv.");
    setKept(true);
  };
  const leave = () => (kept || asked || links.length === 0 ? close() : setAsked(true));
  return (
    <Dialog title="Personal links" close={leave}>
      <p>
        {links.length > 0 &&
          `${plural(links.length, "new link").replace(/^one/, "One")}. Send each person their own link only: it signs in one device, once. Links are shown only now. `}
        {known > 0 &&
          `${known === 1 ? "One person is" : `${known} people are`} already invited and ${known === 1 ? "gets" : "get"} no new link.`}
      </p>
      <div class="links" role="region" aria-label="Names and links" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Link</th>
            </tr>
          </thead>
          <tbody>
            {invited.people.map(({ person, link }, at) => (
              <tr key={at}>
                <th scope="row">
                  <Name text={person.name} />
                </th>
                <td>{link === null ? <span class="note">already invited</span> : <code>{link}</code>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <textarea ref={text} class="hidden" readOnly tabIndex={-1} aria-hidden="true" value={file} />
      <p class="error" role="alert">
        {asked && !kept && "You have neither copied nor saved the links. They cannot be shown again."}
      </p>
      <div class="actions">
        <span role="status">{state}</span>
        {links.length > 0 && (
          <>
            <button type="button" class="primary" onClick={(event) => void copy(event.currentTarget)}>
              Copy all as CSV
            </button>
            <button type="button" class="primary" onClick={download}>
              Download CSV
            </button>
          </>
        )}
        <button type="button" onClick={leave}>
          {asked && !kept ? "Close without the links" : "Done"}
        </button>
      </div>
    </Dialog>
  );
}
