// SPDX-License-Identifier: MIT
//
// What the pages of `manyverbs annotate serve` and the server say to each other, in JSON. Every POST
// carries the header `X-Manyverbs: 1`, which other sites cannot send. Whoever calls is known by a
// cookie: annotators get theirs from their personal link, GET /join/TOKEN, which leads to /annotate;
// leaders by signing in at /lead. An error is a status of 4xx or 5xx with an `ApiError`.
//
// A browser has one cookie for all its windows, and whoever opens a personal link last changes it. So
// the annotator's page says with every call for whom it was opened, in the header
// `X-Manyverbs-Person: KEY`; where the cookie is somebody else's, the reply is 401 and nothing is done.
// A call without this header is for whom the cookie says.

export interface ApiError {
  /** One line for a person: "this link is no longer valid, ask for a new one" */
  error: string;
  /** With 429: seconds to wait before the next try. */
  wait?: number;
}

// ---- the annotator's page, /annotate -------------------------------------------------------------

/** GET /api/annotator */
export interface Me {
  /** Short, and this person's in this project alone: "7-3f2a…" */
  key: string;
  /** What the leader called this person. */
  name: string;
  project: string;
  /** Paused people are told to come back later; excluded ones get 403 everywhere. */
  state: "active" | "paused";
  practised: boolean;
  progress: Progress;
}

export interface Progress {
  /** Clips that this person answered. */
  done: number;
  /** Clips that this person answered, holds, or could still be given. */
  total: number;
}

/** A clip and the verbs to choose from. The page never learns the clip's name or original label. */
export interface Task {
  task: number;
  /** "/clips/12.mp4" */
  video: string;
  /** As many for every clip, at most eleven, in an order of this person's own that never changes. */
  candidates: { class: number; name: string }[];
}

export interface Answer {
  /** Classes among the candidates; empty exactly when `nothing` is true. */
  chosen: number[];
  confident: boolean;
  /** Nothing happens in this clip. */
  nothing: boolean;
  /** From when the clip was shown until it was sent, without the time the page was hidden. */
  milliseconds: number;
}

/** POST /api/annotator/next, body {}: the clips this person holds, first the one to show now. */
export interface Next {
  /** Two at most: one to show, one to load ahead. Empty when there is none for this person. */
  tasks: Task[];
  progress: Progress;
  /** With no tasks: others hold clips that may come back, so ask again later. */
  waiting: boolean;
}

/**
 * POST /api/annotator/answers. The answer is on disk when the reply is 200. Sent again, it counts
 * once; another answer to the same task replaces the one before.
 */
export interface SendAnswer {
  task: number;
  answer: Answer;
}
export interface Saved {
  progress: Progress;
}

/**
 * POST /api/annotator/reports: the clip does not play here. This is no answer: the clip goes to others,
 * and this person does not get it again. Reply Saved, when it is on disk.
 */
export interface SendReport {
  task: number;
}

/** GET /api/annotator/answers?before=TASK: what was answered before that task, or last of all. */
export interface Earlier {
  /** null when there is nothing earlier. */
  task: Task | null;
  answer: Answer | null;
}

/** GET /api/annotator/practice: a few clips whose answers are not kept. */
export interface Practice {
  tasks: Task[];
}
/** POST /api/annotator/practice, body SendAnswer */
export interface PracticeReply {
  /** The label that somebody gave this clip before. */
  original: { class: number; name: string };
  found: boolean;
}
/** POST /api/annotator/practised, body {}: the practice round is over; reply {}. */

// ---- the leader's page, /lead ---------------------------------------------------------------------

/** GET /api/leader */
export interface LeaderSession {
  /** "setup" until a password is set with the token that the server printed: /lead#setup=TOKEN */
  state: "setup" | "signed_out" | "signed_in";
}
/** POST /api/leader/setup {token, password} and /api/leader/login {password}; reply LeaderSession. */
/** POST /api/leader/logout, body {}; reply LeaderSession. */

/** GET /api/leader/overview */
export interface Overview {
  project: string;
  settings: Settings;
  clips: {
    total: number;
    /** Answered by enough people. */
    complete: number;
    /** Answered by somebody, not by enough. */
    begun: number;
    /** Complete, but left out of the result: more than half were not confident. */
    doubtful: number;
    /** The same: more than half said that nothing happens. */
    nothing: number;
    /** The same: no original label is known, and no verb was chosen by at least half. */
    no_verb: number;
    /** Not answered by enough people, open ones too, but not those that do not play. */
    incomplete: number;
    /** Not answered by enough people, and reported by as many: no longer given out. */
    unplayable: number;
  };
  answers: number;
  /** The last 24 hours in which there were any, oldest first; `hour` as "2026-01-31T14:00:00Z". */
  answers_per_hour: { hour: string; answers: number }[];
  /** null where not defined. Over answers of people who are not excluded. */
  agreement: {
    kappa_per_verb: number | null;
    kappa_pooled: number | null;
    kappa_per_clip: number | null;
    alpha: number | null;
  };
  /** Mean number of labels of the complete clips that stay. */
  labels_per_clip: number | null;
  people: Person[];
  disputes: number;
  /** Clips that somebody reported as not playing. */
  reported: number;
}

export interface Settings {
  /** Different people a clip needs. */
  people: number;
  /** After so many minutes without a word from a person, clips held go to others. */
  hold_minutes: number;
  /** A warning when a person finds fewer of the original labels than this share. */
  least_found: number;
  /** A warning when a person chooses fewer verbs per clip than this on average. */
  least_verbs: number;
  /** A warning when a person chooses more than this share of the verbs offered. */
  most_chosen: number;
  /** A warning when half of a person's answers took fewer seconds than this. */
  least_seconds: number;
  /** A warning when more than this share of a person's answers press the same keys. */
  most_same_keys: number;
  /** A warning when a person's kappa with the others is lower than this. */
  least_agreement: number;
}
/** POST /api/leader/settings, body Settings; reply Settings. */

export interface Person {
  id: number;
  name: string;
  state: "active" | "paused" | "excluded";
  /** "2026-01-31T14:03:21Z", or null when the link was never opened. */
  last_seen: string | null;
  answers: number;
  /** Share of the original labels found, of clips where something happens; null without answers. */
  found: number | null;
  verbs_per_clip: number | null;
  /** Mean share of the verbs offered. */
  chosen_share: number | null;
  /** Median. */
  seconds_per_clip: number | null;
  /** Share of the answers that press the keys pressed most often. */
  same_keys: number | null;
  /** Answers to clips that others answered too. */
  compared: number;
  /** Cohen's kappa with the others over these answers: 1 is full agreement, 0 chance; null where undefined. */
  agreement: number | null;
  /** Limits of the settings that are not kept, from ten answers on. */
  warnings: ("found" | "few_verbs" | "many_verbs" | "fast" | "same_keys" | "agreement")[];
}

/** POST /api/leader/people {name} */
export interface Invited {
  person: Person;
  /** To be sent to that person; it is shown only this once: "http://127.0.0.1:8080/join/…" */
  link: string;
}
/** POST /api/leader/people/ID {state: Person["state"]}; reply Person. */
/** POST /api/leader/people/ID/link, body {}: a new link, the old one ends; reply Invited. */

/** GET /api/leader/disputes?from=0&count=20: clips on which people differ most come first. */
export interface Disputes {
  total: number;
  clips: DisputedClip[];
}
export interface DisputedClip {
  task: number;
  clip: string;
  video: string;
  /** null where none is known. */
  original: string | null;
  answers: number;
  /** Most chosen first; `kept` when at least half chose it or it is the original, and the clip is kept. */
  candidates: { name: string; chosen_by: string[]; kept: boolean }[];
  not_confident: string[];
  nothing: string[];
  /** What the answers so far make of the clip. */
  outcome: "kept" | "doubtful" | "nothing" | "no_verb";
}

/** GET /api/leader/reports: the clips that somebody could not play. */
export interface Reports {
  clips: ReportedClip[];
}
export interface ReportedClip {
  task: number;
  clip: string;
  video: string;
  answers: number;
  reported_by: string[];
  /** As many people reported it as a clip needs: it is given to nobody else. */
  given_up: boolean;
}
/** POST /api/leader/reports/forget {task}: the clip is given out again; reply Reports. */
