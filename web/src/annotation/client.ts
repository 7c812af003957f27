// SPDX-License-Identifier: MIT
//
// Asking the server, and what it means when that fails.
import type { ApiError } from "./api";

/** A line that a program wrote, as a sentence: "sign in first" becomes "Sign in first." */
function sentence(line: string): string {
  const text = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The server said no: the same request again would be refused again. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    line: string,
    /** Seconds to wait before another try; 0 where waiting does not help. */
    readonly wait = 0,
  ) {
    super(sentence(line));
  }

  /** This person, or this browser, may not do anything here. */
  get forbidden(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

/** The server did not answer, or could not at this moment: worth another try. */
export class Unreachable extends Error {}

const PATIENCE = 20_000;

let person = "";

/** From now on every call says that it is for this person, by the key that the server gave. */
export function callFor(key: string): void {
  person = key;
}

async function reply(path: string, method: string, body: unknown): Promise<Response> {
  const givenUp = new AbortController();
  const timer = setTimeout(() => givenUp.abort(), PATIENCE);
  try {
    return await fetch(path, {
      method,
      headers: {
        ...(method === "POST" && { "Content-Type": "application/json", "X-Manyverbs": "1" }),
        ...(person && { "X-Manyverbs-Person": person }),
      },
      body: method === "POST" ? JSON.stringify(body) : undefined,
      cache: "no-store",
      // A request that is on its way goes on when the page is closed.
      keepalive: method === "POST",
      signal: givenUp.signal,
    });
  } catch {
    throw new Unreachable("the server does not answer");
  } finally {
    clearTimeout(timer);
  }
}

async function ask<T>(path: string, method: string, body?: unknown): Promise<T> {
  const response = await reply(path, method, body);
  if (response.status >= 500) throw new Unreachable(`the server answered with ${response.status}`);
  const said: unknown = await response.json().catch(() => null);
  if (said instanceof Object) {
    if (response.ok) return said as T;
    const { error, wait } = said as Partial<ApiError>;
    if (typeof error === "string") throw new Refused(response.status, error, wait);
  }
  // Something between here and the server, a proxy for one, may reply in its place.
  throw new Unreachable(`the reply of status ${response.status} is not the server's`);
}

export function get<T>(path: string): Promise<T> {
  return ask<T>(path, "GET");
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, "POST", body);
}

/** What went wrong, in a line for a person. */
export function problem(error: unknown): string {
  return error instanceof Refused
    ? error.message
    : "The server does not answer. Look at the connection and try again.";
}
