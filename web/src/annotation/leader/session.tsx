// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import type { LeaderSession } from "../api";
import { post } from "../client";
import { Field, Form } from "./form";
import { nameFault } from "./name_list";
import { NewPassword, passwordFault } from "./password";

interface EnterProps {
  enter: (session: LeaderSession) => void;
}

interface SetUpProps extends EnterProps {
  token: string;
  /** The name of the invited leader; null for the first one. */
  name: string | null;
}

/** A set-up link was opened: the leader chooses a password, and the first one also a name. */
export function SetUp({ token, name: known, enter }: SetUpProps) {
  const [chosen, setChosen] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const fault = known === null ? nameFault(chosen) : "";
  const body = { token, password, ...(known === null && { name: chosen.trim() }) };
  return (
    <section class="gate">
      <h1>{known === null ? "Set up the first leader" : "Set your password"}</h1>
      {known === null ? (
        <p>
          Leaders sign in with their name and a password. This link works once; you can add more leaders
          later. Annotators need no password: each of them gets a personal link.
        </p>
      ) : (
        <p>
          You lead this project as{" "}
          <strong>
            <bdi class="name">{known}</bdi>
          </strong>
          . Sign in with this name and your password. This link works once.
        </p>
      )}
      <Form
        label="Set the password"
        invalid={Boolean(fault || passwordFault(password, again))}
        tried={() => setTried(true)}
        submit={async () => enter(await post<LeaderSession>("/api/leader/setup", body))}
      >
        {known === null ? (
          <Field
            label="Name"
            first
            type="text"
            autoComplete="username"
            value={chosen}
            change={setChosen}
            error={tried ? fault : ""}
            note="Other leaders see it, also in the log."
          />
        ) : (
          // For password managers.
          <span class="hidden">
            <input
              type="text"
              autoComplete="username"
              readOnly
              tabIndex={-1}
              aria-hidden="true"
              value={known}
            />
          </span>
        )}
        <NewPassword
          first={known !== null}
          password={password}
          again={again}
          change={setPassword}
          changeAgain={setAgain}
          tried={tried}
        />
      </Form>
    </section>
  );
}

/** `notice`: why a set-up link could not be used; may be empty. */
export function SignIn({ enter, notice }: EnterProps & { notice: string }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  return (
    <section class="gate">
      <h1>Sign in</h1>
      {notice && (
        <p class="lost" role="alert">
          {notice}
        </p>
      )}
      <p>For leaders. Annotators open their personal link instead.</p>
      <Form
        label="Sign in"
        invalid={!name.trim() || password === ""}
        submit={async () =>
          enter(await post<LeaderSession>("/api/leader/login", { name: name.trim(), password }))
        }
      >
        <Field label="Name" first type="text" autoComplete="username" value={name} change={setName} />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          change={setPassword}
        />
      </Form>
      <p class="note">If you have lost your password, ask another leader for a new set-up link.</p>
    </section>
  );
}

export function SetUpLinkNeeded({ notice }: { notice: string }) {
  return (
    <section class="gate">
      <h1>No leader is set up yet</h1>
      {notice && (
        <p class="lost" role="alert">
          {notice}
        </p>
      )}
      <p>
        When the server was started, it printed a link that ends in <code>#setup=…</code>. Open that link to
        set up the first leader.
      </p>
    </section>
  );
}
