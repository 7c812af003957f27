// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { shortened } from "../../common/format";
import { Name } from "../../common/name";
import type { InvitedLeader, Leader, Leaders as Page } from "../api";
import { get, post, problem } from "../client";
import { Confirm } from "./change";
import { Field, Form } from "./form";
import { SetUpLinkDialog } from "./link";
import { NameForm } from "./name_form";
import { NewPassword, passwordFault } from "./password";
import { ago } from "./words";

const BADGES: Record<Leader["state"], string> = {
  active: "",
  invited: "no password yet",
  expired: "link expired",
};

function Add({ added }: { added: (invited: InvitedLeader) => void }) {
  return (
    <section class="panel-box invite">
      <h2>Add a leader</h2>
      <NameForm
        label="Create a set-up link"
        note="Leaders can do everything that you can do, also remove you."
        submit={async (name) => added(await post<InvitedLeader>("/api/leader/leaders", { name }))}
      />
    </section>
  );
}

function ChangePassword() {
  const [old, setOld] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const [changed, setChanged] = useState(false);
  const typing = (set: (text: string) => void) => (text: string) => {
    setChanged(false);
    set(text);
  };
  const missing = old ? "" : "Enter your present password.";
  return (
    <section class="panel-box settings">
      <h2>Change your password</h2>
      <Form
        label="Change the password"
        invalid={Boolean(missing || passwordFault(password, again))}
        tried={() => setTried(true)}
        submit={async () => {
          await post("/api/leader/password", { old, new: password });
          for (const clear of [setOld, setPassword, setAgain]) clear("");
          setTried(false);
          setChanged(true);
        }}
      >
        <Field
          label="Present password"
          type="password"
          autoComplete="current-password"
          value={old}
          change={typing(setOld)}
          error={tried ? missing : ""}
        />
        <NewPassword
          label="New password"
          password={password}
          again={again}
          change={typing(setPassword)}
          changeAgain={typing(setAgain)}
          tried={tried}
        />
      </Form>
      <p role="status">{changed ? "✓ Changed. You are signed out everywhere else." : ""}</p>
    </section>
  );
}

interface RowProps {
  leader: Leader;
  act: (act: Act) => void;
}
type Act = "link" | "remove";

function Row({ leader, act }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <Name text={leader.name} />
        {leader.you && <span class="badge">you</span>}
        {BADGES[leader.state] && <span class="badge">{BADGES[leader.state]}</span>}
      </th>
      <td data-title="Last seen" title={leader.last_seen ?? undefined}>
        {ago(leader.last_seen, Date.now())}
      </td>
      <td class="changes">
        {!leader.you && (
          <button type="button" aria-label={`New set-up link: ${leader.name}`} onClick={() => act("link")}>
            New set-up link
          </button>
        )}
        <button type="button" aria-label={`Remove: ${leader.name}`} onClick={() => act("remove")}>
          Remove
        </button>
      </td>
    </tr>
  );
}

interface ActDialogProps {
  leader: Leader;
  act: Act;
  close: () => void;
  done: (invited: InvitedLeader | null) => void;
}

function ActDialog({ leader, act, close, done }: ActDialogProps) {
  const name = shortened(leader.name, 60);
  const address = `/api/leader/leaders/${leader.id}`;
  if (act === "link")
    return (
      <Confirm
        title={`Create a new set-up link for ${name}?`}
        label="New set-up link"
        close={close}
        go={async () => done(await post<InvitedLeader>(`${address}/link`))}
      >
        <p>
          With it, this leader sets a new password.{" "}
          {leader.state === "active"
            ? "Until then the old one stays valid."
            : "A set-up link from before becomes invalid."}
        </p>
      </Confirm>
    );
  return (
    <Confirm
      title={leader.you ? "Remove yourself?" : `Remove ${name}?`}
      label="Remove"
      close={close}
      go={async () => {
        await post(`${address}/remove`);
        done(null);
      }}
    >
      <p>
        {leader.you
          ? "You are signed out at once and can no longer lead this project, unless another leader adds you again."
          : "This leader is signed out everywhere and can no longer sign in. Their entries in the log stay."}
      </p>
    </Confirm>
  );
}

/** Who leads the project, and the own password. */
export function LeadersView({ signedOut }: { signedOut: () => void }) {
  const [leaders, setLeaders] = useState<Leader[] | null>(null);
  const [failure, setFailure] = useState("");
  const [invited, setInvited] = useState<InvitedLeader | null>(null);
  const [acting, setActing] = useState<{ act: Act; leader: Leader } | null>(null);
  const load = () =>
    get<Page>("/api/leader/leaders").then(
      (page) => (setLeaders(page.leaders), setFailure("")),
      (error: unknown) => setFailure(problem(error)),
    );
  useEffect(() => void load(), []);
  const done = (link: InvitedLeader | null) => {
    if (acting?.act === "remove" && acting.leader.you) return signedOut();
    setActing(null);
    setInvited(link);
    void load();
  };
  return (
    <>
      <h1 class="hidden">Leaders</h1>
      <section class="panel-box">
        <h2>Leaders</h2>
        <p class="error" role="alert">
          {failure}
        </p>
        {leaders && (
          <table class="people leaders">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Last seen</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {leaders.map((leader) => (
                <Row key={leader.id} leader={leader} act={(act) => setActing({ act, leader })} />
              ))}
            </tbody>
          </table>
        )}
      </section>
      <Add added={done} />
      <ChangePassword />
      {invited && <SetUpLinkDialog invited={invited} close={() => setInvited(null)} />}
      {acting && (
        <ActDialog
          key={`${acting.leader.id} ${acting.act}`}
          {...acting}
          close={() => setActing(null)}
          done={done}
        />
      )}
    </>
  );
}
