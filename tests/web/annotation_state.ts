// SPDX-License-Identifier: MIT
//
// The state of the fake annotation server: people, clips, answers. It assigns clips in order and computes
// only what the pages show.
import type {
  Answer,
  ClipPage,
  Decision,
  Earlier,
  FoundClips,
  Guide,
  InvitedMany,
  Next,
  Overview,
  Person,
  PersonAnswers,
  PracticeReply,
  Progress,
  Remarks,
  Reports,
  ReviewedClip,
  Settings,
  Task,
  TextFile,
  Texts,
} from "../../web/src/annotation/api";
import { HttpError } from "./annotation_error";
import { FakeLeaders, folded } from "./annotation_leaders";
import { NASTY } from "./names";

const VERBS = ["cut", "peel", "wash", "open", "close", "take", "put", "pour", "stir", "turn on", "turn off"];

/** An answer with these verbs. */
export function answerWith(chosen: number[], rest: Partial<Answer> = {}): Answer {
  const words = { other: false, other_verb: "", flagged: false, comment: "" };
  return { chosen, confident: true, nothing: false, ...words, milliseconds: 1, ...rest };
}

export interface Annotator {
  person: Person;
  /** Of the newest personal link. */
  token: string;
  link: Person["link"];
  /** One for each device that is signed in. */
  sessions: Set<string>;
  practised: boolean;
  /** Practice clips that are answered. */
  practice: Set<number>;
  held: number[];
  /** In the order of the first answer. */
  answers: Map<number, Answer>;
  /** Milliseconds between giving and sending an answer, by task. */
  ages: Map<number, number>;
  /** Clips that do not play. */
  reported: Set<number>;
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
    gold_at_start: 3,
    gold_every: 15,
    gold_answers: 5,
    least_gold: 0.5,
    gold_pauses: false,
    closed: false,
    deadline: null,
    quota: 0,
    link_days: 14,
  };
  readonly texts = new Map<TextFile["file"], string>();
  /** By task. */
  readonly decisions = new Map<number, Decision>();
  readonly leaders = new FakeLeaders();
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
    const id = 1 + Math.max(0, ...this.people.map(({ person }) => person.id));
    const person: Person = {
      id,
      name,
      state: "active",
      link: "open",
      devices: 0,
      practised,
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
      gold: { answers: 0, hits: 0, wrong: 0, missed: 0, f1: null },
      paused_for: "",
      warnings: [],
    };
    const annotator: Annotator = {
      person,
      token: `link-${id}-1`,
      link: "open",
      sessions: new Set(),
      practised,
      practice: new Set(),
      held: [],
      answers: new Map(),
      ages: new Map(),
      reported: new Set(),
    };
    this.people.push(annotator);
    return annotator;
  }

  /** Invites a person whose name nobody has. */
  inviteNew(name: string): Annotator {
    const same = this.named(name);
    if (same) throw new HttpError(409, `${same.person.name} is already invited`);
    return this.invite(name);
  }

  inviteMany(names: string[], linkOf: (who: Annotator) => string): InvitedMany {
    return {
      people: names.map((name) => {
        const same = this.named(name);
        const who = same ?? this.invite(name);
        return { person: this.shown(who), link: same ? null : linkOf(who), existed: Boolean(same) };
      }),
    };
  }

  private named(name: string): Annotator | undefined {
    return this.people.find(
      ({ person }) => person.state !== "removed" && folded(person.name) === folded(name),
    );
  }

  /** A new personal link. */
  newLink(who: Annotator): Annotator {
    who.token = who.token.replace(/\d+$/, (times) => String(Number(times) + 1));
    who.link = "open";
    return who;
  }

  remove(who: Annotator, answers: "keep" | "delete"): void {
    who.sessions.clear();
    who.link = "used";
    Object.assign(who.person, { state: "removed", name: `former annotator ${who.person.id}` });
    this.people.splice(this.people.indexOf(who), 1);
    if (answers === "keep") this.people.push(who);
  }

  /** The person as leaders see it. */
  shown(who: Annotator): Person {
    const { person, practised, link, sessions } = who;
    return { ...person, practised, link, devices: sessions.size, ...this.statistics.people[person.name] };
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
    const reply: Next = { progress: this.progress(who), waiting: false, tasks: [], over: null };
    if (this.settings.closed) return { ...reply, over: "closed" };
    if (this.settings.quota && who.answers.size >= this.settings.quota) return { ...reply, over: "quota" };
    if (who.person.state === "paused") return reply;
    for (let task = 1; task <= this.clips - this.heldByOthers && who.held.length < 2; task++)
      if (!who.held.includes(task) && !who.answers.has(task) && !who.reported.has(task)) who.held.push(task);
    reply.tasks = who.held.map((task) => this.task(task));
    reply.waiting = !reply.tasks.length && who.answers.size + who.reported.size < this.clips;
    return reply;
  }

  answer(who: Annotator, task: number, answer: Answer, age = 0): { progress: Progress } {
    if (!who.held.includes(task) && !who.answers.has(task))
      throw new HttpError(409, `clip ${task} went to somebody else`);
    if ((answer.nothing !== answer.other) !== (answer.chosen.length === 0))
      throw new HttpError(400, "choose verbs, nothing or none of these");
    if (answer.other_verb && !answer.other) throw new HttpError(400, "a verb needs “none of these verbs”");
    if (!Number.isInteger(answer.milliseconds) || answer.milliseconds < 0)
      throw new HttpError(400, `${answer.milliseconds} is not a valid number of milliseconds`);
    who.held = who.held.filter((each) => each !== task);
    if (!Number.isInteger(age) || age < 0 || age > 60 * 86_400_000)
      throw new HttpError(400, `${age} is not a valid age`);
    who.answers.set(task, answer);
    who.ages.set(task, age);
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

  practice(who: Annotator, task: number, { chosen }: Answer): PracticeReply {
    who.practice.add(task);
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
      gold: 0,
      clips: {
        total: this.clips,
        complete: tasks.filter((task) => times(task) >= this.settings.people).length,
        begun: tasks.filter((task) => times(task) > 0 && times(task) < this.settings.people).length,
        doubtful: 0,
        nothing: 0,
        other: 0,
        no_verb: 0,
        incomplete: tasks.filter((task) => times(task) < this.settings.people).length,
        unplayable: 0,
        left_out: [...this.decisions.values()].filter(({ labels }) => !labels.length).length,
        settled: [...this.decisions.values()].filter(({ labels }) => labels.length).length,
      },
      answers,
      answers_per_hour: answers ? [{ hour: "2026-01-31T14:00:00Z", answers }] : [],
      agreement: { kappa_per_verb: null, kappa_pooled: null, kappa_per_clip: null, alpha: null },
      labels_per_clip: null,
      disputes: this.disputes(0, 1).total,
      reported: this.reports().clips.length,
      modelled_answers: answers,
      remarks: this.remarks(0, 1).total,
      other_verbs: this.remarks(0, 1).verbs.length,
      ...this.statistics.overview,
      people: this.people.map((who) => this.shown(who)),
    };
  }

  remarks(from: number, count: number): Remarks {
    const given = this.people.flatMap(({ person, answers }) =>
      [...answers].map(([task, answer]) => ({ task, answer, name: person.name })),
    );
    const clip = (task: number) => ({ task, clip: `P01_${task}`, video: `/clips/${task}.mp4` });
    const entered = given.map(({ answer }) => answer.other_verb).filter((verb) => verb);
    const remarks = given
      .filter(({ answer }) => answer.flagged || answer.comment)
      .map(({ task, answer: { confident, milliseconds, ...answer }, name }) => ({
        ...answer,
        ...clip(task),
        name,
        time: "2026-01-31T14:00:00Z",
        chosen: answer.chosen.map((verb) => this.verbs[verb]!),
      }));
    return {
      verbs: [...new Set(entered)].map((verb) => {
        const with_verb = given.filter(({ answer }) => answer.other_verb === verb);
        return { verb, answers: with_verb.length, clips: with_verb.map(({ task }) => clip(task)) };
      }),
      total: remarks.length,
      remarks: remarks.slice(from, from + count),
    };
  }

  disputes(from: number, count: number): ClipPage {
    const clips = Array.from({ length: this.clips }, (_, at) => this.reviewed(at + 1)).filter(
      ({ answers, decision }) => answers >= 2 && !decision,
    );
    return { total: clips.length, clips: clips.slice(from, from + count) };
  }

  decided(from: number, count: number): ClipPage {
    const clips = [...this.decisions.keys()].reverse().map((task) => this.reviewed(task));
    return { total: clips.length, clips: clips.slice(from, from + count) };
  }

  decide(task: number, labels: number[], reason: string): ReviewedClip {
    if (!labels.length && !reason) throw new HttpError(400, "give a reason why the clip is left out");
    const named = labels.map((verb) => ({ class: verb, name: this.verbs[verb]! }));
    this.decisions.set(task, { labels: named, reason, time: "2026-01-31T14:03:21Z" });
    return this.reviewed(task);
  }

  undo(task: number): ReviewedClip {
    this.decisions.delete(task);
    return this.reviewed(task);
  }

  find(text: string): FoundClips {
    const clips = Array.from({ length: this.clips }, (_, at) => this.reviewed(at + 1))
      .filter(({ task, clip }) => String(task) === text || clip.toLowerCase().includes(text.toLowerCase()))
      .map(({ task, clip, answers, decision }) => ({ task, clip, answers, decided: decision !== null }));
    return { total: clips.length, clips: clips.slice(0, 20) };
  }

  answersOf({ person, answers }: Annotator, from: number, count: number): PersonAnswers {
    const all = [...answers].reverse().map(([task, { chosen, confident, nothing, milliseconds }]) => ({
      chosen: chosen.map((verb) => this.verbs[verb]!),
      confident,
      nothing,
      seconds: milliseconds / 1000,
      time: "2026-01-31T14:03:21Z",
      clip: this.reviewed(task),
    }));
    const { name, state } = person;
    return { name, state, total: all.length, answers: all.slice(from, from + count) };
  }

  textFile(file: TextFile["file"]): TextFile {
    const text = this.texts.get(file) ?? (file === "instructions.md" ? this.guide.instructions : "");
    return {
      file,
      text,
      hash: `hash of ${text}`,
      exists: this.texts.has(file),
      problem: "",
      ...this.preview(file, text),
    };
  }

  allTexts(): Texts {
    const files = (["instructions.md", "definitions.csv", "strings.csv"] as const).map((file) =>
      this.textFile(file),
    );
    return { files, language: this.language, classes: this.verbs, strings: { "answer.send": "Send" } };
  }

  /** A line "bad,…" is an error. */
  preview(file: TextFile["file"], text: string): Pick<TextFile, "instructions" | "rows"> {
    if (file === "instructions.md") return { instructions: text, rows: [] };
    const rows = text.trim().split("\n").slice(1);
    const bad = rows.findIndex((row) => row.startsWith("bad,"));
    if (bad >= 0) throw new HttpError(400, `${file}:${bad + 2}: 'bad' is not a class of the project`);
    return {
      instructions: "",
      rows: rows.map((row) => {
        const [name, ...rest] = row.split(",");
        return { name: name!, text: rest.join(","), before: file === "strings.csv" ? "Send" : "" };
      }),
    };
  }

  changeText(file: TextFile["file"], text: string, hash: string, save: boolean): unknown {
    const preview = this.preview(file, text);
    if (!save) return preview;
    if (hash !== this.textFile(file).hash)
      throw new HttpError(409, `somebody else has changed ${file} in the meantime; load it again`);
    this.texts.set(file, text);
    return this.textFile(file);
  }

  reviewed(task: number): ReviewedClip {
    const given = this.people.filter((each) => each.answers.has(task));
    const names = (keep: (answer: Answer) => boolean) =>
      given.filter((each) => keep(each.answers.get(task)!)).map(({ person }) => person.name);
    const notConfident = names(({ confident }) => !confident);
    const doubtful = 2 * notConfident.length > given.length;
    const decision = this.decisions.get(task) ?? null;
    const isKept = (verb: number, people: number) =>
      decision
        ? decision.labels.some((label) => label.class === verb)
        : !doubtful && (2 * people >= given.length || verb === this.original(task));
    const candidates = this.verbs
      .map((name, verb) => ({ class: verb, name, chosen_by: names(({ chosen }) => chosen.includes(verb)) }))
      .sort((one, other) => other.chosen_by.length - one.chosen_by.length)
      .map((each) => ({ ...each, kept: isKept(each.class, each.chosen_by.length) }));
    return {
      task,
      clip: `P01_${task} ${NASTY.quotes}`,
      video: `/clips/${task}.mp4`,
      original: this.verbs[this.original(task)]!,
      answers: given.length,
      candidates,
      not_confident: notConfident,
      nothing: names(({ nothing }) => nothing),
      other: names(({ other }) => other),
      reported_by: this.people.filter(({ reported }) => reported.has(task)).map(({ person }) => person.name),
      outcome: decision ? (decision.labels.length ? "kept" : "left_out") : doubtful ? "doubtful" : "kept",
      decision,
    };
  }
}
