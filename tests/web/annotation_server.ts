// SPDX-License-Identifier: MIT
//
// A fake `manyverbs annotate serve`: implements web/src/annotation/api.ts, sends the same policy with its
// pages, and fails on request.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { SendAnswer, Settings, TextFile } from "../../web/src/annotation/api";
import { CLIP } from "./annotation_clip";
import { HttpError } from "./annotation_error";
import type { State, Annotator } from "./annotation_state";

/** The page and the policy that allows its script and its style sheet. */
function page(file: string, language: string): { html: string; policy: string } {
  const html = readFileSync(file, "utf8").replace('<html lang="en">', `<html lang="${language}">`);
  const hash = (pattern: RegExp) =>
    `'sha256-${createHash("sha256").update(html.match(pattern)![1]!).digest("base64")}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(/<script type="module">([^]*?)<\/script>/)}`,
    `style-src ${hash(/<style>([^]*?)<\/style>/)}`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  cookie: string;
  /** The key of the person that the page sent; empty if none. */
  person: string;
}

const EXCLUDED = "you no longer take part in this project; thank you for your help";

function leaderSession(cookie: string): string {
  return cookie.match(/leader=([^;]*)/)?.[1] ?? "";
}

function personSession(cookie: string): string {
  return cookie.match(/person=([^;]*)/)?.[1] ?? "";
}

function keyOf({ person }: Annotator): string {
  return `${person.id}-tasks`;
}

async function body(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : null;
}

export class FakeServer {
  /** Connections are closed without a reply. */
  offline = false;
  /** The reply of a proxy instead of the server; null passes the request on. */
  proxy: (request: string) => { status: number; body: string } | null = () => null;
  /** The number of next answers that are stored without a reply. */
  losingReplies = 0;
  /** The number of next replies to signing in that end in the middle. */
  cuttingReplies = 0;
  /** All received answers, including repeated ones. */
  readonly arrived: { name: string; task: number }[] = [];
  readonly requests: string[] = [];
  clip: (task: string) => Buffer = () => CLIP;
  private readonly server: Server;
  private sessions = 0;
  private held = Promise.resolve();

  constructor(readonly state: State) {
    this.server = createServer((request, response) => void this.respond(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Delays all POST requests until the returned function is called. */
  hold(): () => void {
    let release = () => {};
    this.held = new Promise((resolve) => (release = resolve));
    return () => {
      this.held = Promise.resolve();
      release();
    };
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    this.requests.push(`${request.method} ${pathname}`);
    if (this.offline) return void request.socket.destroy();
    const instead = this.proxy(`${request.method} ${pathname}`);
    if (instead) {
      response.writeHead(instead.status, { "Content-Type": "text/html" });
      return void response.end(instead.body);
    }
    try {
      const asked = {
        method: request.method!,
        path: pathname,
        query: searchParams,
        body: await body(request),
        cookie: request.headers.cookie ?? "",
        person: String(request.headers["x-manyverbs-person"] ?? ""),
      };
      if (pathname.startsWith("/api/")) await this.api(asked, request, response);
      else this.file(asked, request, response);
    } catch (error) {
      const { status, message, wait } =
        error instanceof HttpError ? error : new HttpError(500, String((error as Error).stack));
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: message, wait }));
    }
  }

  private file(asked: Request, request: IncomingMessage, response: ServerResponse): void {
    const send = (file: string) => {
      const { html, policy } = page(file, this.state.language);
      response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy });
      response.end(html);
    };
    const [, folder, name] = asked.path.split("/");
    if (folder === "annotate" || folder === "join") return send(process.env.ANNOTATE_PAGE!);
    if (folder === "lead") return send(process.env.LEAD_PAGE!);
    if (folder === "clips") return this.video(name!, request, response);
    throw new HttpError(404, `${asked.path} does not exist`);
  }

  private video(name: string, request: IncomingMessage, response: ServerResponse): void {
    const clip = this.clip(name.replace(/\.mp4$/, ""));
    const [, from = "0", to = ""] = request.headers.range?.match(/bytes=(\d+)-(\d*)/) ?? [];
    const [first, last] = [Number(from), to ? Number(to) : clip.length - 1];
    response.writeHead(request.headers.range ? 206 : 200, {
      "Content-Type": "video/mp4",
      "Accept-Ranges": "bytes",
      "Content-Length": last - first + 1,
      ...(request.headers.range && { "Content-Range": `bytes ${first}-${last}/${clip.length}` }),
    });
    response.end(clip.subarray(first, last + 1));
  }

  private async api(asked: Request, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (asked.method === "POST") {
      if (request.headers["x-manyverbs"] !== "1")
        throw new HttpError(403, "this request does not come from a page of this server");
      await this.held;
    }
    const cookie = (text: string) => response.setHeader("Set-Cookie", `${text}; Path=/; HttpOnly`);
    const reply =
      this.session(asked, cookie) ??
      (asked.path.startsWith("/api/leader") ? this.leader(asked) : this.annotator(asked));
    if (/^\/api\/(annotator\/answers|leader\/people\/many)$/.test(asked.path) && this.losingReplies > 0) {
      this.losingReplies--;
      return void request.socket.destroy();
    }
    response.writeHead(200, { "Content-Type": "application/json" });
    if (asked.path === "/api/annotator/join" && this.cuttingReplies > 0) {
      this.cuttingReplies--;
      return void response.write('{"state": ', () => request.socket.destroy());
    }
    response.end(JSON.stringify(reply));
  }

  /** Replies to calls that begin or end a session; undefined for others. */
  private session({ path, cookie, body }: Request, setCookie: (text: string) => void): unknown {
    const { leaders } = this.state;
    const given = body as { token: string; password: string; name: string };
    const open = ({ id, ...reply }: { id: number; state: string }) => {
      leaders.sessions.set(String(++this.sessions), id);
      setCookie(`leader=${this.sessions}`);
      return reply;
    };
    switch (path) {
      case "/api/leader/login":
        return open(leaders.login(given.name, given.password));
      case "/api/leader/setup":
        return open(leaders.setUp(given.token, given.password, given.name));
      case "/api/leader/setup/check":
        return leaders.check(given.token);
      case "/api/leader/logout":
        leaders.sessions.delete(leaderSession(cookie));
        return { state: "signed_out" };
      case "/api/annotator/join":
        setCookie(`person=${this.join(given.token)}`);
        return { state: "signed_in" };
      case "/api/annotator/logout":
        for (const { sessions } of this.state.people) sessions.delete(personSession(cookie));
        setCookie("person=; Max-Age=0");
        return { state: "signed_out" };
      default:
        return undefined;
    }
  }

  /** Uses up a personal link; returns the session. */
  private join(token: string): string {
    const who = this.state.people.find((each) => each.token === token && each.link === "open");
    if (!who) throw new HttpError(404, "this link was already used or has expired; ask for a new one");
    if (who.person.state === "excluded") throw new HttpError(403, EXCLUDED);
    who.link = "used";
    const session = `device-${++this.sessions}`;
    who.sessions.add(session);
    return session;
  }

  private person({ cookie, person: meant }: Request): Annotator {
    const found = this.state.people.find(({ sessions }) => sessions.has(personSession(cookie)));
    if (!found) throw new HttpError(401, "open your personal link, or ask for a new one");
    if (found.person.state === "excluded") throw new HttpError(403, EXCLUDED);
    if (meant && meant !== keyOf(found))
      throw new HttpError(401, "another personal link was opened in this browser; ask for a new one");
    return found;
  }

  private annotator(asked: Request): unknown {
    const who = this.person(asked);
    const { state } = this;
    who.person.last_seen = new Date().toISOString();
    const { task, answer, age } = (asked.body ?? {}) as SendAnswer;
    switch (`${asked.method} ${asked.path.slice("/api/annotator".length)}`) {
      case "GET ":
        return {
          key: keyOf(who),
          name: who.person.name,
          project: state.project,
          state: who.person.state,
          paused_for: who.person.paused_for,
          practised: who.practised,
          progress: state.progress(who),
        };
      case "GET /guide":
        return state.guide;
      case "POST /next":
        if (!who.practised) throw new HttpError(403, "finish the practice first");
        return state.next(who);
      case "POST /answers":
        this.arrived.push({ name: who.person.name, task });
        return state.answer(who, task, answer, age);
      case "POST /reports":
        return state.report(who, task);
      case "GET /answers":
        return state.earlier(who, asked.query.get("before"));
      case "GET /practice":
        return { tasks: [1, 2].map((each) => state.task(each, true)), answered: [...who.practice] };
      case "POST /practice":
        return state.practice(who, task, answer);
      case "POST /practised":
        if (who.practice.size < 2) throw new HttpError(409, "answer all practice clips first");
        who.practised = true;
        return {};
    }
    throw new HttpError(404, `${asked.path} does not exist`);
  }

  private leader(asked: Request): unknown {
    const { state } = this;
    const path = asked.path.slice("/api/leader".length);
    const session = leaderSession(asked.cookie);
    if (path === "") return state.leaders.session(session);
    const by = state.leaders.signedIn(session);
    if (!by) throw new HttpError(401, "sign in first");
    if (path === "/overview") return state.overview();
    const [from, count] = [Number(asked.query.get("from")), Number(asked.query.get("count"))];
    if (path === "/log")
      return { total: state.leaders.log.length, entries: state.leaders.log.slice(from, from + count) };
    if (path === "/password") {
      const { old, new: password } = asked.body as { old: string; new: string };
      state.leaders.change(by, old, password, session);
      return {};
    }
    const given = (asked.body ?? {}) as { name: string; names: string[] };
    if (path === "/leaders" && asked.method === "GET") return state.leaders.list(by);
    if (path === "/leaders") return state.leaders.invite(given.name, by, this.url);
    const [, leader, act] = path.match(/^\/leaders\/(\d+)\/(link|remove)$/) ?? [];
    if (act === "link") return state.leaders.newLink(Number(leader), by, this.url);
    if (act === "remove") {
      state.leaders.remove(Number(leader), by);
      return {};
    }
    if (path === "/disputes") return state.disputes(from, count);
    if (path === "/remarks") return state.remarks(from, count);
    if (path === "/decisions" && asked.method === "GET") return state.decided(from, count);
    const { task, labels, reason } = (asked.body ?? {}) as { task: number; labels: number[]; reason: string };
    if (path === "/decisions") return state.decide(task, labels, reason);
    if (path === "/decisions/undo") return state.undo(task);
    if (path === "/texts" && asked.method === "GET") return state.allTexts();
    if (path === "/texts") {
      const { file, text, hash, save } = asked.body as TextFile & { save: boolean };
      return state.changeText(file, text, hash, save);
    }
    if (path === "/export") return Object.fromEntries(asked.query);
    if (path === "/clips") return state.find(asked.query.get("find") ?? "");
    if (path === "/clip") return { ...state.reviewed(Number(asked.query.get("task"))), classes: state.verbs };
    if (path === "/answers")
      return state.answersOf(this.known(Number(asked.query.get("person"))), from, count);
    if (path === "/reports") return state.reports();
    if (path === "/reports/forget") {
      for (const each of state.people) each.reported.delete(task);
      return state.reports();
    }
    if (path === "/settings") return (state.settings = asked.body as Settings);
    if (path === "/people") return this.invited(state.inviteNew(given.name));
    if (path === "/people/many") return state.inviteMany(given.names, (who) => this.link(who));
    const [, id, change] = path.match(/^\/people\/(\d+)(?:\/(link|practised|name|remove))?$/) ?? [];
    return this.change(this.known(Number(id)), change, asked.body);
  }

  private known(id: number): Annotator {
    const who = this.state.people.find(({ person }) => person.id === id);
    if (!who) throw new HttpError(404, `person ${id} does not exist`);
    return who;
  }

  private change(who: Annotator, change: string | undefined, asked: unknown): unknown {
    const body = asked as { sign_out: boolean; name: string; answers: "keep" | "delete" };
    if (change === "link") {
      if (body.sign_out) who.sessions.clear();
      return this.invited(this.state.newLink(who));
    }
    if (change === "remove") {
      this.state.remove(who, body.answers);
      return {};
    }
    if (change === "practised") who.practised = true;
    else Object.assign(who.person, asked);
    return this.state.shown(who);
  }

  /** The personal link. */
  link({ token }: Annotator): string {
    return `${this.url}/join#${token}`;
  }

  private invited(who: Annotator): unknown {
    return { person: this.state.shown(who), link: this.link(who) };
  }
}
