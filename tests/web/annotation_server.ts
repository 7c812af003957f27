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
import { HttpError, State, type Annotator } from "./annotation_state";

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
  /** All received answers, including repeated ones. */
  readonly arrived: { name: string; task: number }[] = [];
  readonly requests: string[] = [];
  clip: (task: string) => Buffer = () => CLIP;
  private readonly server: Server;
  private failedLogins = 0;
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
    if (folder === "annotate") return send(process.env.ANNOTATE_PAGE!);
    if (folder === "lead") return send(process.env.LEAD_PAGE!);
    if (folder === "clips") return this.video(name!, request, response);
    if (folder !== "join") throw new HttpError(404, `${asked.path} does not exist`);
    response.writeHead(302, { Location: "/annotate", "Set-Cookie": `person=${name}; Path=/; HttpOnly` });
    response.end();
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
    const reply = asked.path.startsWith("/api/leader") ? this.leader(asked) : this.annotator(asked);
    if (asked.method === "POST" && asked.path === "/api/annotator/answers" && this.losingReplies > 0) {
      this.losingReplies--;
      return void request.socket.destroy();
    }
    const session = asked.path.match(/(setup|login|logout)$/)?.[1];
    if (session) response.setHeader("Set-Cookie", `leader=${session !== "logout"}; Path=/; HttpOnly`);
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(reply));
  }

  private person({ cookie, person: meant }: Request): Annotator {
    const token = cookie.match(/person=([^;]*)/)?.[1];
    const found = this.state.people.find((each) => each.token === token);
    if (!found) throw new HttpError(401, "this link is no longer valid, ask for a new one");
    if (found.person.state === "excluded")
      throw new HttpError(403, "you no longer take part in this project; thank you for your help");
    if (meant && meant !== keyOf(found))
      throw new HttpError(401, "another personal link was opened in this browser: open yours again");
    return found;
  }

  private annotator(asked: Request): unknown {
    const who = this.person(asked);
    const { state } = this;
    who.person.last_seen = new Date().toISOString();
    const { task, answer } = (asked.body ?? {}) as SendAnswer;
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
        return state.answer(who, task, answer);
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
    const given = asked.body as { token: string; password: string; name: string };
    const signedIn = asked.cookie.includes("leader=true");
    if (path === "") return { state: !state.password ? "setup" : signedIn ? "signed_in" : "signed_out" };
    if (path === "/setup") {
      if (given.token !== state.setupToken)
        throw new HttpError(403, "this is not the link that the server printed at its start");
      state.password = given.password;
      return { state: "signed_in" };
    }
    if (path === "/login") return this.login(given.password);
    if (!signedIn) throw new HttpError(401, "sign in first");
    if (path === "/logout") return { state: "signed_out" };
    if (path === "/overview") return state.overview();
    const [from, count] = [Number(asked.query.get("from")), Number(asked.query.get("count"))];
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
      return state.answersOf(state.people[Number(asked.query.get("person")) - 1]!, from, count);
    if (path === "/reports") return state.reports();
    if (path === "/reports/forget") {
      for (const each of state.people) each.reported.delete(task);
      return state.reports();
    }
    if (path === "/settings") return (state.settings = asked.body as Settings);
    if (path === "/people") return this.invited(state.invite(given.name));
    const [, id, change] = path.match(/^\/people\/(\d+)(\/link|\/practised)?$/) ?? [];
    const who = state.people.find(({ person }) => person.id === Number(id));
    if (!who) throw new HttpError(404, `${asked.path} does not exist`);
    if (change === "/practised") who.practised = true;
    if (change !== "/link") return Object.assign(who.person, asked.body);
    who.token = who.token.replace(/\d+$/, (times) => String(Number(times) + 1));
    return this.invited(who);
  }

  private login(password: string): unknown {
    if (this.failedLogins >= 2) {
      this.failedLogins = 0;
      throw new HttpError(429, "too many wrong passwords", 30);
    }
    if (password !== this.state.password) {
      this.failedLogins++;
      throw new HttpError(403, "wrong password");
    }
    return { state: "signed_in" };
  }

  private invited({ person, token }: Annotator): unknown {
    return { person, link: `${this.url}/join/${token}` };
  }
}
