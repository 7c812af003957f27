// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import type { LeaderSession } from "../api";
import { post } from "../client";
import { Field, Form } from "./form";

const SHORTEST = 8;

interface EnterProps {
  enter: (session: LeaderSession) => void;
}

/** The first visit: the operator of the server sets the password. */
export function SetUp({ token, enter }: EnterProps & { token: string }) {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const short = password.length < SHORTEST ? `Enter at least ${SHORTEST} characters.` : "";
  const different = again !== password ? "The passwords are different." : "";
  return (
    <section class="gate">
      <h1>Set the password</h1>
      <p>
        Leaders sign in with this password. It can be set only once here. Annotators do not need it: each of
        them has a personal link.
      </p>
      <Form
        label="Set the password"
        invalid={Boolean(short || different)}
        tried={() => setTried(true)}
        submit={async () => enter(await post<LeaderSession>("/api/leader/setup", { token, password }))}
      >
        <Field
          label="Password"
          first
          type="password"
          autoComplete="new-password"
          value={password}
          change={setPassword}
          error={tried ? short : ""}
        />
        <Field
          label="Repeat the password"
          type="password"
          autoComplete="new-password"
          value={again}
          change={setAgain}
          error={tried ? different : ""}
        />
      </Form>
    </section>
  );
}

export function SignIn({ enter }: EnterProps) {
  const [password, setPassword] = useState("");
  return (
    <section class="gate">
      <h1>Sign in</h1>
      <p>For leaders. Annotators open their personal link instead.</p>
      <Form
        label="Sign in"
        invalid={password === ""}
        submit={async () => enter(await post<LeaderSession>("/api/leader/login", { password }))}
      >
        <Field
          label="Password"
          first
          type="password"
          autoComplete="current-password"
          value={password}
          change={setPassword}
        />
      </Form>
    </section>
  );
}

export function SetUpLinkNeeded() {
  return (
    <section class="gate">
      <h1>No password is set yet</h1>
      <p>
        When the server was started, it printed a link that ends in <code>#setup=…</code>. Open that link to
        set the password.
      </p>
    </section>
  );
}
