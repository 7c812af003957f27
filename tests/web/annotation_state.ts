// SPDX-License-Identifier: MIT
//
// The state of the fake annotation server: people, clips, answers. It assigns clips in order and computes
// only what the pages show.
import type {
  Answer,
  DisputedClip,
  Disputes,
  Earlier,
  Guide,
  Next,
  Overview,
  Person,
  PracticeReply,
  Progress,
  Reports,
  Settings,
  Task,
} from "../../web/src/annotation/api";
import { NASTY } from "./names";

const VERBS = ["cut", "peel", "wash", "open", "close", "take", "put", "pour", "stir", "turn on", "turn off"];

export interface Annotator {
  person: Person;
  token: string;
  practised: boolean;
  held: number[];
  /** In the order of the first answer. */
  answers: Map<number, Answer>;
  /** Clips that do not play. */
  reported: Set<number>;
}

/** An error reply with a status, sent as ApiError. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly wait?: number,
  ) {
    super(message);
  }
}

export class State {
  readonly people: Annotator[] = [];
  settings: Settings = {
    people: 3,
    hold_minutes: 30,
    least_found: 0.6,
    least_verbs: 1.5,
    most_chosen: 0.6,
    least_seconds: 2,
    most_same_keys: 0.7,
    least_agreement: 0.2,
    order: "complete",
  };
  password: string | null = null;
  setupToken = "first-start";
  /** Overrides statistics that would need many answers. */
  statistics: { people: Record<string, Partial<Person>>; overview: Partial<Overview> } = {
    people: {},
    overview: {},
  };
  language = "en";
  guide: Guide = { instructions: "# What to do\n\nChoose **every** verb.", definitions: [], strings: {} };
  /** Clips that stay assigned to somebody else, so that others have to wait. */
  heldByOthers = 0;

  constructor(
    readonly clips: number,
    readonly project = "Kitchen",
    readonly verbs: string[] = VERBS,
  ) {}

  invite(name: string, practised = false): Annotator {
    const id = this.people.length + 1;
    const person: Person = {
      id,
      name,
      state: "active",
      last_seen: null,
      answers: 0,
      found: null,
      verbs_per_clip: null,
      chosen_share: null,
      seconds_per_clip: null,
      same_keys: null,
      compared: 0,
      agreement: null,
      quality: null,
      warnings: [],
    };
    const annotator: Annotator = {
      person,
      token: `link-${id}-1`,
      practised,
      held: [],
      answers: new Map(),
      reported: new Set(),
    };
    this.people.push(annotator);
    return annotator;
  }

  task(task: number, practice = false): Task {
    const candidates = this.verbs.map((name, position) => ({ class: position, name }));
    // A different order for each clip.
    const turned = [
      ...candidates.slice(task % candidates.length),
      ...candidates.slice(0, task % candidates.length),
    ];
    return { task, video: `/clips/${practice ? "p" : ""}${task}.mp4`, candidates: turned };
  }

  original(task: number): number {
    return task % this.verbs.length;
  }

  progress({ answers, reported }: Annotator): Progress {
    return { done: answers.size, total: this.clips - reported.size };
  }

  next(who: Annotator): Next {
    const reply = { progress: this.progress(who), waiting: false, tasks: [] as Task[] };
    if (who.person.state === "paused") return reply;
    for (let task = 1; task <= this.clips - this.heldByOthers && who.held.length < 2; task++)
      if (!who.held.includes(task) && !who.answers.has(task) && !who.reported.has(task)) who.held.push(task);
    reply.tasks = who.held.map((task) => this.task(task));
    reply.waiting = !reply.tasks.length && who.answers.size + who.reported.size < this.clips;
    return reply;
  }

  answer(who: Annotator, task: number, answer: Answer): { progress: Progress } {
    if (!who.held.includes(task) && !who.answers.has(task))
      throw new HttpError(409, `clip ${task} went to somebody else`);
    if (answer.nothing !== (answer.chosen.length === 0)) throw new HttpError(400, "choose verbs or nothing");
    if (!Number.isInteger(answer.milliseconds) || answer.milliseconds < 0)
      throw new HttpError(400, `${answer.milliseconds} is not a valid number of milliseconds`);
    who.held = who.held.filter((each) => each !== task);
    who.answers.set(task, answer);
    who.person.answers = who.answers.size;
    return { progress: this.progress(who) };
  }

  report(who: Annotator, task: number): { progress: Progress } {
    if (!who.held.includes(task)) throw new HttpError(403, `clip ${task} was not assigned to you`);
    who.held = who.held.filter((each) => each !== task);
    who.reported.add(task);
    return { progress: this.progress(who) };
  }

  reports(): Reports {
    const clips = Array.from({ length: this.clips }, (_, at) => at + 1).map((task) => ({
      task,
      clip: `P01_${task}`,
      video: `/clips/${task}.mp4`,
      answers: this.people.filter((each) => each.answers.has(task)).length,
      reported_by: this.people.filter((each) => each.reported.has(task)).map(({ person }) => person.name),
    }));
    return {
      clips: clips
        .filter((clip) => clip.reported_by.length)
        .map((clip) => ({ ...clip, given_up: clip.reported_by.length >= this.settings.people })),
    };
  }

  earlier({ answers }: Annotator, before: string | null): Earlier {
    const order = [...answers.keys()];
    const at = before === null ? order.length : order.indexOf(Number(before));
    const task = order[at - 1];
    return task === undefined
      ? { task: null, answer: null }
      : { task: this.task(task), answer: answers.get(task)! };
  }

  practice(task: number, { chosen }: Answer): PracticeReply {
    const original = this.original(task);
    return { original: { class: original, name: this.verbs[original]! }, found: chosen.includes(original) };
  }

  overview(): Overview {
    const answers = this.people.reduce((sum, { answers: given }) => sum + given.size, 0);
    const times = (task: number) => this.people.filter((each) => each.answers.has(task)).length;
    const tasks = Array.from({ length: this.clips }, (_, at) => at + 1);
    return {
      project: this.project,
      settings: this.settings,
      clips: {
        total: this.clips,
        complete: tasks.filter((task) => times(task) >= this.settings.people).length,
        begun: tasks.filter((task) => times(task) > 0 && times(task) < this.settings.people).length,
        doubtful: 0,
        nothing: 0,
        no_verb: 0,
        incomplete: tasks.filter((task) => times(task) < this.settings.people).length,
        unplayable: 0,
      },
      answers,
      answers_per_hour: answers ? [{ hour: "2026-01-31T14:00:00Z", answers }] : [],
      agreement: { kappa_per_verb: null, kappa_pooled: null, kappa_per_clip: null, alpha: null },
      labels_per_clip: null,
      disputes: this.disputes(0, 1).total,
      reported: this.reports().clips.length,
      ...this.statistics.overview,
      people: this.people.map(({ person }) => ({ ...person, ...this.statistics.people[person.name] })),
    };
  }

  disputes(from: number, count: number): Disputes {
    const clips: DisputedClip[] = [];
    for (let task = 1; task <= this.clips; task++) {
      const given = this.people.filter((each) => each.answers.has(task));
      if (given.length < 2) continue;
      const names = (keep: (answer: Answer) => boolean) =>
        given.filter((each) => keep(each.answers.get(task)!)).map(({ person }) => person.name);
      const notConfident = names(({ confident }) => !confident);
      const doubtful = 2 * notConfident.length > given.length;
      const candidates = this.verbs
        .map((name, verb) => ({ name, verb, chosen_by: names(({ chosen }) => chosen.includes(verb)) }))
        .sort((one, other) => other.chosen_by.length - one.chosen_by.length)
        .map(({ name, verb, chosen_by }) => ({
          name,
          chosen_by,
          kept: !doubtful && (2 * chosen_by.length >= given.length || verb === this.original(task)),
        }));
      clips.push({
        task,
        clip: `P01_${task} ${NASTY.quotes}`,
        video: `/clips/${task}.mp4`,
        original: this.verbs[this.original(task)]!,
        answers: given.length,
        candidates,
        not_confident: notConfident,
        nothing: names(({ nothing }) => nothing),
        outcome: doubtful ? "doubtful" : "kept",
      });
    }
    return { total: clips.length, clips: clips.slice(from, from + count) };
  }
}
