// SPDX-License-Identifier: MIT
//
// The JSON API of `manyverbs annotate serve`. Every POST has the header `X-Manyverbs: 1`, which other
// sites cannot send. Clients are identified by a cookie: annotators get it for the token of their personal link,
// /join#TOKEN, which browsers never send in an address; leaders by signing in at /lead. An error has status 4xx or
// 5xx and an `ApiError` as body.
//
// All windows of a browser share the cookie, and signing in with another personal link replaces it. Therefore the
// annotator's page sends the key of its person with every call, in the header `X-Manyverbs-Person: KEY`.
// If it does not match the cookie, the reply is 401 and nothing is done. Without this header, only the
// cookie counts.
//
// The annotator's page is in the language of the project, which the server writes into the page: <html lang>.

export interface ApiError {
  /**
   * A message for the user in English, one line: "this link was already used or has expired; ask for a new one".
   * The annotator's page replaces the usual ones by texts in the language of the project.
   */
  error: string;
  /** With status 429: seconds to wait before the next attempt. */
  wait?: number;
}

// ---- the annotator's page, /annotate and /join ----------------------------------------------------

/**
 * POST /api/annotator/join {token}: signs in this device and uses up the personal link; reply {state: "signed_in"}.
 * Status 404 if the link was used, has expired or never existed.
 */
/** POST /api/annotator/logout, body {}: signs out this device; reply {state: "signed_out"}. */

/** GET /api/annotator */
export interface Me {
  /** Identifies this person in this project: "7-3f2a…" */
  key: string;
  /** The name that the leader entered. */
  name: string;
  project: string;
  /** Paused people get no clips; excluded people get status 403 everywhere. */
  state: "active" | "paused";
  /** "gold" if the person was paused because of their answers to gold clips; otherwise empty. */
  paused_for: "gold" | "";
  practised: boolean;
  progress: Progress;
}

/** GET /api/annotator/guide: what the leader wrote for annotators. */
export interface Guide {
  /** Markdown. */
  instructions: string;
  /** What verbs mean; some or all of them may have no definition. */
  definitions: { class: number; definition: string }[];
  /** Texts of the page that the project replaces, by key; the keys are in strings/english.ts. */
  strings: Record<string, string>;
}

export interface Progress {
  /** Clips answered by this person. */
  done: number;
  /** Clips answered by this person, assigned to them, or still available. */
  total: number;
}

/** A clip and its candidates. The page does not receive the name or the original label of the clip. */
export interface Task {
  task: number;
  /** "/clips/12.mp4"; see urlOf() */
  video: string;
  /** The same number for every clip, at most eleven, in a fixed random order for this person. */
  candidates: { class: number; name: string }[];
}

export interface Answer {
  /** Classes of candidates; empty if and only if `nothing` or `other` is true, never both. */
  chosen: number[];
  confident: boolean;
  /** "Nothing happens here". */
  nothing: boolean;
  /** "Something happens, but none of these verbs". */
  other: boolean;
  /** With `other`: the verb that the person entered, at most 40 characters; or empty. */
  other_verb: string;
  /** Marked for the leader. */
  flagged: boolean;
  /** For the leader, plain text of at most 500 characters; or empty. */
  comment: string;
  /** Time from the first frame to sending, without the time in which the page was hidden. */
  milliseconds: number;
}

/** POST /api/annotator/next, body {}: the clips assigned to this person, in the order to show them. */
export interface Next {
  /** At most two: one to show, one to preload. Empty if there is no clip for this person. */
  tasks: Task[];
  progress: Progress;
  /** Without tasks: clips of others may become available, so ask again later. */
  waiting: boolean;
  /** Why there are no more clips: the leader closed the round, or this person has answered their maximum. */
  over: "closed" | "quota" | null;
}

/**
 * POST /api/annotator/answers. The answer is on disk when the reply is 200. Sending it again has no effect; of
 * different answers to the same task, the one given last counts, whichever arrives last.
 */
export interface SendAnswer {
  task: number;
  answer: Answer;
  /** Milliseconds between giving and sending the answer, at most 60 days. */
  age: number;
}
export interface Saved {
  progress: Progress;
}

/**
 * POST /api/annotator/reports: the clip does not play. A report is not an answer: the clip goes to others,
 * and this person does not get it again. The reply is Saved, when the report is on disk.
 */
export interface SendReport {
  task: number;
}

/** GET /api/annotator/answers?before=TASK: the answer before the one to that task, or the last one. */
export interface Earlier {
  /** null if there is no earlier answer. */
  task: Task | null;
  answer: Answer | null;
}

/**
 * GET /api/annotator/practice: the practice clips. Their answers are not saved, only that they were given: no clip
 * is assigned before all practice clips are answered and the practice is completed.
 */
export interface Practice {
  tasks: Task[];
  /** The practice clips that this person has answered. */
  answered: number[];
}
/** POST /api/annotator/practice {task, answer} */
export interface PracticeReply {
  /** The original label. */
  original: { class: number; name: string };
  found: boolean;
}
/**
 * POST /api/annotator/practised, body {}: the practice is completed; reply {}, or status 409 unless all practice
 * clips are answered.
 */

// ---- the leader's page, /lead ---------------------------------------------------------------------

/** GET /api/leader */
export interface LeaderSession {
  /** "setup" until the first leader has a password. */
  state: "setup" | "signed_out" | "signed_in";
  /** The name of the leader who is signed in. */
  name?: string;
}
/** POST /api/leader/login {name, password}; reply LeaderSession. */
/** POST /api/leader/logout, body {}; reply LeaderSession. */

/**
 * POST /api/leader/setup/check {token}: whom a set-up link, /lead#setup=TOKEN, is for. The server prints one at its
 * first start; later ones come from other leaders. Status 403 if it was used, has expired or never existed.
 */
export interface SetUpLink {
  /** null: the first leader, who chooses a name. */
  name: string | null;
}
/** POST /api/leader/setup {token, password}, for the first leader also {name}; reply LeaderSession, signed in. */

/** GET /api/leader/leaders */
export interface Leaders {
  leaders: Leader[];
}
export interface Leader {
  id: number;
  name: string;
  /** Without a password: "invited", or "expired" if the set-up link has expired, too. */
  state: "active" | "invited" | "expired";
  last_seen: string | null;
  /** Whether this is the leader who is signed in. */
  you: boolean;
}
/** POST /api/leader/leaders {name} */
export interface InvitedLeader {
  leader: Leader;
  /** The set-up link, returned only once; it works once, within 7 days. */
  link: string;
}
/**
 * POST /api/leader/leaders/ID/link, body {}: a new set-up link; the old password is valid until the new one is set;
 * reply InvitedLeader.
 */
/** POST /api/leader/leaders/ID/remove, body {}; reply {}. Status 409 for the last leader with a password. */
/** POST /api/leader/password {old, new}: changes the own password, ends the other sessions; reply {}. */

/** GET /api/leader/log?from=0&count=20: what leaders did, newest first. */
export interface Log {
  total: number;
  entries: LogEntry[];
}
export interface LogEntry {
  id: number;
  time: string;
  /** A leader, "(command line)" or "(server)". */
  who: string;
  /** "changed the state" */
  action: string;
  /** A person, a leader, a clip or a file: "Ann", "clip 12"; may be empty. */
  subject: string;
  /** "active to paused"; may be empty. */
  details: string;
}

/** GET /api/leader/overview */
export interface Overview {
  project: string;
  settings: Settings;
  /** The number of gold clips, which all other numbers ignore. */
  gold: number;
  clips: {
    total: number;
    /** Answered by enough people, or decided by the leader. */
    complete: number;
    /** Some answers, but not enough. */
    begun: number;
    /** Complete, but left out of the result: more than half were not confident. */
    doubtful: number;
    /** Left out: more than half said that nothing happens. */
    nothing: number;
    /** Left out: more than half said that none of the verbs applies, or that nothing happens. */
    other: number;
    /** Left out: no known original label, and no verb is kept. */
    no_verb: number;
    /** Not enough answers, including clips without any, but without unplayable clips. */
    incomplete: number;
    /** Not enough answers, and as many reports as a clip needs answers: no longer assigned. */
    unplayable: number;
    /** Left out by the leader; part of the complete clips. */
    left_out: number;
    /** With labels by the leader; part of the complete clips. */
    settled: number;
  };
  answers: number;
  /** The last 24 hours with answers, oldest first; `hour` as "2026-01-31T14:00:00Z". */
  answers_per_hour: { hour: string; answers: number }[];
  /** null if undefined. Answers of excluded people are ignored. */
  agreement: {
    kappa_per_verb: number | null;
    kappa_pooled: number | null;
    kappa_per_clip: number | null;
    alpha: number | null;
  };
  /** Mean over complete clips that are kept. */
  labels_per_clip: number | null;
  people: Person[];
  disputes: number;
  /** Clips reported as not playing. */
  reported: number;
  /**
   * The number of answers that `quality` of the people is estimated from. With many answers the model is
   * fitted in the background, every 20 seconds.
   */
  modelled_answers: number;
  /** Answers with a comment or a flag. */
  remarks: number;
  /** Different verbs that people entered. */
  other_verbs: number;
}

export interface Settings {
  /** Number of different people per clip. */
  people: number;
  /** Minutes of inactivity after which assigned clips go to others. */
  hold_minutes: number;
  /** Warning below this share of original labels chosen. */
  least_found: number;
  /** Warning below this mean number of verbs per clip. */
  least_verbs: number;
  /** Warning above this mean share of candidates chosen. */
  most_chosen: number;
  /** Warning below this median time per clip. */
  least_seconds: number;
  /** Warning above this share of answers with the same keys. */
  most_same_keys: number;
  /** Warning below this kappa with the others. */
  least_agreement: number;
  /**
   * Which clip a person gets next: "complete" the one with the most answers, "informative" the one on whose
   * labels another answer tells the most, by the model of annotators.
   */
  order: "complete" | "informative";
  /** Of the first clips that a person gets, twice as many as this, so many are gold clips. */
  gold_at_start: number;
  /** After these, one of so many clips is a gold clip; 0: none. */
  gold_every: number;
  /** Answers to gold clips from which on a person is judged by them. */
  gold_answers: number;
  /** Warning below this F1 on gold clips, the pass mark. */
  least_gold: number;
  /** People below the pass mark are paused. */
  gold_pauses: boolean;
  /** No clip is assigned any more; answers on their way are still saved. */
  closed: boolean;
  /** The round is closed from this time on: "2026-01-31T14:03:00Z", or null. */
  deadline: string | null;
  /** Maximum number of clips that one person answers; 0: no limit. */
  quota: number;
  /** Days after which a personal link expires if nobody has used it. */
  link_days: number;
}
/** POST /api/leader/settings, body Settings; reply Settings. */

export interface Person {
  id: number;
  name: string;
  /** "removed": only the answers are left, under another name. */
  state: "active" | "paused" | "excluded" | "removed";
  /** Whether the newest personal link can still be used. */
  link: "open" | "used" | "expired";
  /** The number of devices that are signed in. */
  devices: number;
  /** Has finished the practice, or a leader ended it. */
  practised: boolean;
  /** "2026-01-31T14:03:21Z", or null if the person never signed in. */
  last_seen: string | null;
  answers: number;
  /** Share of original labels chosen, in clips not marked as "nothing happens"; null without answers. */
  found: number | null;
  verbs_per_clip: number | null;
  /** Mean share of candidates chosen. */
  chosen_share: number | null;
  /** Median. */
  seconds_per_clip: number | null;
  /** Share of answers with the most frequent combination of keys. */
  same_keys: number | null;
  /** Answers to clips that others answered too. */
  compared: number;
  /**
   * Cohen's kappa with the others over the compared answers: 1 is perfect agreement, 0 is chance; null if
   * undefined.
   */
  agreement: number | null;
  /** By the model of annotators; null without answers, and for excluded people. */
  quality: Quality | null;
  /** Decisions on the verbs of gold clips, whose labels are known. */
  gold: Gold;
  /** As in Me. */
  paused_for: "gold" | "";
  /** Exceeded limits of the settings, from ten answers on; "gold" from `gold_answers` on. */
  warnings: ("found" | "few_verbs" | "many_verbs" | "fast" | "same_keys" | "agreement" | "gold")[];
}

export interface Gold {
  answers: number;
  /** Chosen, and a label. */
  hits: number;
  /** Chosen, but not a label. */
  wrong: number;
  /** A label, but not chosen. */
  missed: number;
  /** 2 hits / (2 hits + wrong + missed); null if undefined. */
  f1: number | null;
}

/** How often a person is right, estimated from the answers of all. */
export interface Quality {
  /** By score, from 1, the best. */
  rank: number;
  /** Sensitivity + specificity - 1: 1 is perfect, 0 is chance, below 0 is worse. */
  score: number;
  /** Share of the verbs that apply which the person chooses. */
  sensitivity: Rate;
  /** Share of the other verbs which the person leaves. */
  specificity: Rate;
}
/** An estimate with its 95 % interval. */
export interface Rate {
  value: number;
  low: number;
  high: number;
}

/** POST /api/leader/people {name}. Status 409 if somebody with this name is invited. */
export interface Invited {
  person: Person;
  /** The personal link, returned only once: "http://127.0.0.1:8080/join#…". It signs in one device. */
  link: string;
}
/** POST /api/leader/people/many {names}, at most 500: invites all who are not invited yet. */
export interface InvitedMany {
  /** In the order of the names. */
  people: {
    person: Person;
    /** null for people who were invited before. */
    link: string | null;
    existed: boolean;
  }[];
}
/** POST /api/leader/people/ID {state: "active" | "paused" | "excluded"}; reply Person. */
/** POST /api/leader/people/ID/name {name}; reply Person. */
/**
 * POST /api/leader/people/ID/remove {answers: "keep" | "delete"}: signs the person out for good; reply {}. With "keep",
 * the answers count, under the name "former annotator ID"; with "delete", nothing of the person is left.
 */
/** POST /api/leader/people/ID/practised, body {}: ends the practice of a person; reply Person. */
/**
 * POST /api/leader/people/ID/link {sign_out: boolean}: creates a new link, an unused old one becomes invalid; with
 * `sign_out`, all devices of the person are signed out; reply Invited.
 */

/**
 * GET /api/leader/disputes?from=0&count=20: clips with different answers that the leader has not decided, ordered
 * by disagreement. GET /api/leader/decisions?from=0&count=20: the decided clips, latest decision first.
 */
export interface ClipPage {
  total: number;
  clips: ReviewedClip[];
}
export interface ReviewedClip {
  task: number;
  clip: string;
  video: string;
  /** null if not known. */
  original: string | null;
  answers: number;
  /** Most chosen first. `kept`: at least half chose it or it is the original, and the clip is kept. */
  candidates: { class: number; name: string; chosen_by: string[]; kept: boolean }[];
  not_confident: string[];
  nothing: string[];
  /** Who said that none of the verbs applies. */
  other: string[];
  reported_by: string[];
  /** The decision of the leader, or the result of the answers so far. */
  outcome: "kept" | "doubtful" | "nothing" | "other" | "no_verb" | "left_out";
  decision: Decision | null;
}
/** What the leader decided about a clip. It wins over the answers. */
export interface Decision {
  /** Any classes of the project; empty: the clip is left out. */
  labels: { class: number; name: string }[];
  reason: string;
  time: string;
}
/** GET /api/leader/clip?task=12: a clip, and the names of all classes in their order. */
export interface ClipDetails extends ReviewedClip {
  classes: string[];
}
/**
 * POST /api/leader/decisions {task, labels: number[], reason}: the decision is on disk when the reply is 200; reply
 * ReviewedClip. Without labels, the clip is left out, and a reason is required.
 */
/** POST /api/leader/decisions/undo {task}: the answers count again; reply ReviewedClip. */

/** GET /api/leader/clips?find=TEXT: the first twenty clips with this number, or this text in their name. */
export interface FoundClips {
  total: number;
  clips: { task: number; clip: string; answers: number; decided: boolean }[];
}

/** GET /api/leader/answers?person=3&from=0&count=20: the answers of a person, newest first. */
export interface PersonAnswers {
  name: string;
  state: Person["state"];
  total: number;
  answers: {
    chosen: string[];
    confident: boolean;
    nothing: boolean;
    seconds: number;
    time: string;
    clip: ReviewedClip;
  }[];
}

/**
 * GET /api/leader/remarks?from=0&count=20: what people wrote, without excluded people. Strangers wrote it: it is
 * text, never HTML.
 */
export interface Remarks {
  /** All verbs that people entered, the most frequent first. */
  verbs: { verb: string; answers: number; clips: { task: number; clip: string; video: string }[] }[];
  total: number;
  /** Answers with a comment or a flag, newest first. */
  remarks: Remark[];
}
export interface Remark {
  task: number;
  clip: string;
  video: string;
  /** Who wrote it. */
  name: string;
  time: string;
  flagged: boolean;
  comment: string;
  /** The answer: names of verbs. */
  chosen: string[];
  nothing: boolean;
  other: boolean;
  other_verb: string;
}

/** GET /api/leader/reports: the clips that were reported as not playing. */
export interface Reports {
  clips: ReportedClip[];
}
export interface ReportedClip {
  task: number;
  clip: string;
  video: string;
  answers: number;
  reported_by: string[];
  /** The clip has as many reports as a clip needs answers and is no longer assigned. */
  given_up: boolean;
}
/**
 * POST /api/leader/reports/forget {task}: deletes the reports, so that the clip is assigned again; reply
 * Reports.
 */

/** GET /api/leader/texts: the files of the project that annotators read. */
export interface Texts {
  files: TextFile[];
  language: string;
  classes: string[];
  /** The built-in texts of the annotator's page, by key. */
  strings: Record<string, string>;
}
/** What a text means. */
export interface TextPreview {
  /** Markdown, of instructions.md. */
  instructions: string;
  /** Of definitions.csv and strings.csv; `before` is the built-in text. */
  rows: { name: string; text: string; before: string }[];
}
export interface TextFile extends TextPreview {
  file: "instructions.md" | "definitions.csv" | "strings.csv";
  text: string;
  /** To send when saving: if somebody else has changed the file in the meantime, the reply is 409. */
  hash: string;
  exists: boolean;
  /** Why the file is not valid; annotators still read the previous text. */
  problem: string;
}
/**
 * POST /api/leader/texts {file, text, hash, save}: with `save` false, checks the text, reply TextPreview; with `save`
 * true, also writes the file, reply TextFile. A blank text removes the file. An invalid text is status 400.
 */

/**
 * GET /api/leader/export?format=FORMAT: a file to download. Formats: dataset (without features) and cvat as .tar.gz,
 * spmv, posteriors, jsonl, label-studio. Optional: rule=model, pseudonyms=1, videos=PREFIX.
 */
