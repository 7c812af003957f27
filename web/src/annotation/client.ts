// SPDX-License-Identifier: MIT
//
// Requests to the server, and their errors.
import type { ApiError } from "./api";

/** Formats a message as a sentence: "sign in first" becomes "Sign in first." */
function sentence(line: string): string {
  const text = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The server rejected the request. Repeating it has no effect. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    line: string,
    /** Seconds to wait before the next attempt; 0 if waiting does not help. */
    readonly wait = 0,
  ) {
    super(sentence(line));
  }

  /** Whether the session is not valid or not permitted. */
  get forbidden(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

/** The server did not respond or is temporarily unavailable. The request can be repeated. */
export class Unreachable extends Error {}

const TIMEOUT = 20_000;

let person = "";

/** Whether the key of a person is set. */
export function callsForPerson(): boolean {
  return person !== "";
}

/** Sets the key of the person, which is sent with every call. */
export function callFor(key: string): void {
  person = key;
}

/**
 * The URL of a path of the server, "/clips/12.mp4": relative, because the server may be under a path of its
 * host, as in https://lab.example.org/verbs/annotate.
 */
export function urlOf(path: string): string {
  return `.${path}`;
}

async function reply(path: string, method: string, body: unknown): Promise<Response> {
  const givenUp = new AbortController();
  const timer = setTimeout(() => givenUp.abort(), TIMEOUT);
  try {
    return await fetch(urlOf(path), {
      method,
      headers: {
        ...(method === "POST" && { "Content-Type": "application/json", "X-Manyverbs": "1" }),
        ...(person && { "X-Manyverbs-Person": person }),
      },
      body: method === "POST" ? JSON.stringify(body) : undefined,
      cache: "no-store",
      // A running request continues after the page is closed.
      keepalive: method === "POST",
      signal: givenUp.signal,
    });
  } catch {
    throw new Unreachable("the server is not reachable");
  } finally {
    clearTimeout(timer);
  }
}

async function ask<T>(path: string, method: string, body?: unknown): Promise<T> {
  const response = await reply(path, method, body);
  if (response.status >= 500) throw new Unreachable(`the server returned status ${response.status}`);
  const said: unknown = await response.json().catch(() => null);
  if (said instanceof Object) {
    if (response.ok) return said as T;
    const { error, wait } = said as Partial<ApiError>;
    if (typeof error === "string") throw new HttpError(response.status, error, wait);
  }
  // The reply may come from a proxy instead of the server.
  throw new Unreachable(`unexpected reply with status ${response.status}`);
}

export function get<T>(path: string): Promise<T> {
  return ask<T>(path, "GET");
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, "POST", body);
}

/** The error message for the user. */
export function problem(error: unknown): string {
  return error instanceof HttpError
    ? error.message
    : "The server is not reachable. Check your connection and try again.";
}
