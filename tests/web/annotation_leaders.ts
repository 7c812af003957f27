// SPDX-License-Identifier: MIT
//
// The leaders of the fake annotation server: names, passwords, set-up links and sessions.
import type {
  InvitedLeader,
  Leader,
  LeaderSession,
  Leaders,
  LogEntry,
  SetUpLink,
} from "../../web/src/annotation/api";
import { HttpError } from "./annotation_error";

interface Known {
  id: number;
  name: string;
  password: string | null;
  /** Of the set-up link; null if there is none. */
  token: string | null;
  expired: boolean;
  last_seen: string | null;
}

const USED = "this link was already used or has expired; ask for a new one";

/** Names are compared without regard to spaces and case. */
export function folded(name: string): string {
  return name.trim().replace(/\s+/g, " ").toLowerCase();
}

export class FakeLeaders {
  readonly all: Known[] = [];
  /** Newest first. */
  readonly log: LogEntry[] = [];
  setupToken = "first-start";
  /** The ids of leaders, by session. */
  readonly sessions = new Map<string, number>();
  private failures = 0;
  private links = 0;

  add(name: string, password: string | null = null): Known {
    const known: Known = {
      id: this.all.length + 1,
      name,
      password,
      token: null,
      expired: false,
      last_seen: password === null ? null : "2026-01-31T14:03:21Z",
    };
    this.all.push(known);
    return known;
  }

  note(who: string, action: string, subject = "", details = ""): void {
    const id = this.log.length + 1;
    this.log.unshift({ id, time: "2026-01-31T14:03:21Z", who, action, subject, details });
  }

  signedIn(session: string): Known | undefined {
    const id = this.sessions.get(session);
    return this.all.find((each) => each.id === id && each.password !== null);
  }

  session(session: string): LeaderSession {
    if (!this.all.some(({ password }) => password !== null)) return { state: "setup" };
    const known = this.signedIn(session);
    return known ? { state: "signed_in", name: known.name } : { state: "signed_out" };
  }

  login(name: string, password: string): LeaderSession & { id: number } {
    this.limit();
    const known = this.all.find((each) => folded(each.name) === folded(name));
    if (!known || known.password === null || known.password !== password) {
      this.failures++;
      throw new HttpError(403, "wrong name or password");
    }
    return { state: "signed_in", name: known.name, id: known.id };
  }

  /** null: the first leader. */
  private ofToken(token: string): Known | null {
    const known = this.all.find((each) => each.token !== null && each.token === token && !each.expired);
    if (known) return known;
    const first = !this.all.some(({ password }) => password !== null);
    if (first && token === this.setupToken) return null;
    throw new HttpError(403, USED);
  }

  check(token: string): SetUpLink {
    return { name: this.ofToken(token)?.name ?? null };
  }

  setUp(token: string, password: string, name: string): LeaderSession & { id: number } {
    const known = this.ofToken(token) ?? this.add(name);
    Object.assign(known, { password, token: null, last_seen: "2026-01-31T14:03:21Z" });
    this.note(known.name, "set a password", known.name);
    return { state: "signed_in", name: known.name, id: known.id };
  }

  list(you: Known): Leaders {
    return { leaders: this.all.map((known) => this.shown(known, you)) };
  }

  invite(name: string, by: Known, site: string): InvitedLeader {
    const same = this.all.find((each) => folded(each.name) === folded(name));
    if (same) throw new HttpError(409, `${same.name} is already a leader`);
    this.note(by.name, "invited a leader", name);
    return this.link(this.add(name), by, site);
  }

  link(known: Known, by: Known, site: string): InvitedLeader {
    known.token = `set-up-${++this.links}`;
    known.expired = false;
    return { leader: this.shown(known, by), link: `${site}/lead#setup=${known.token}` };
  }

  newLink(id: number, by: Known, site: string): InvitedLeader {
    const known = this.find(id);
    this.note(by.name, "created a set-up link", known.name);
    return this.link(known, by, site);
  }

  remove(id: number, by: Known): void {
    const known = this.find(id);
    if (known.password !== null && this.all.filter(({ password }) => password !== null).length === 1)
      throw new HttpError(409, "the last leader cannot be removed");
    this.all.splice(this.all.indexOf(known), 1);
    this.note(by.name, "removed a leader", known.name);
  }

  change(by: Known, old: string, password: string, session: string): void {
    this.limit();
    if (old !== by.password) {
      this.failures++;
      throw new HttpError(403, "wrong password");
    }
    by.password = password;
    for (const [each, id] of this.sessions) if (id === by.id && each !== session) this.sessions.delete(each);
    this.note(by.name, "changed the password", by.name);
  }

  private find(id: number): Known {
    const known = this.all.find((each) => each.id === id);
    if (!known) throw new HttpError(404, `leader ${id} does not exist`);
    return known;
  }

  private shown({ id, name, password, expired, last_seen }: Known, you: Known): Leader {
    const state = password !== null ? "active" : expired ? "expired" : "invited";
    return { id, name, state, last_seen, you: id === you.id };
  }

  private limit(): void {
    if (this.failures < 2) return;
    this.failures = 0;
    throw new HttpError(429, "too many wrong passwords", 30);
  }
}
