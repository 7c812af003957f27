// SPDX-License-Identifier: MIT
//
// Errors in the language of the page. Messages of the server are in English, and are used for the rest.
import { callsForPerson, HttpError } from "../client";
import { say } from "../strings/strings";

/** How the server begins its refusal of a person who was excluded. */
const EXCLUDED = /^you no longer take part/i;

/** Why a request failed. */
export function problem(error: unknown): string {
  if (!(error instanceof HttpError)) return say("problem.unreachable");
  if (error.status === 401) return say(callsForPerson() ? "problem.other_link" : "problem.link");
  if (error.status === 403 && EXCLUDED.test(error.message)) return say("problem.excluded");
  return error.message;
}

/** Why an answer was rejected, of a person who is not. */
export function rejection(error: HttpError): string {
  return error.status === 403 ? say("problem.not_assigned") : error.message;
}
