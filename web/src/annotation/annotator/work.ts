// SPDX-License-Identifier: MIT
import type { Answer, Earlier, Me, Next, Progress, Saved, SendAnswer, Task } from "../api";
import { get, post, HttpError, Unreachable } from "../client";
import { say } from "../strings/strings";
import { backOff, Pause } from "../wait";
import { Clock } from "./clock";
import { answerOf, draftOf, EMPTY, same, type Draft } from "./draft";
import { ageOf, Outbox, type Unsent } from "./outbox";
import { problem, rejection } from "./problem";

/** Milliseconds between requests for new clips. */
const POLL_INTERVAL = { waiting: 10_000, paused: 15_000, done: 60_000, closed: 60_000, quota: 60_000 };

export type Phase = "loading" | "working" | "waiting" | "done" | "paused" | "closed" | "quota" | "stopped";

/** An earlier answer, shown again. */
export interface Correction {
  task: Task;
  answer: Answer;
}

/**
 * The state of an annotator's work: assigned clips, unsent answers, and navigation to earlier answers.
 *
 * One request runs at a time: first unconfirmed answers are sent, then new clips are requested. A failed
 * request is repeated with increasing delays until it succeeds or the server rejects it. `changed` is called
 * after each change, to redraw.
 */
export class Work {
  phase: Phase = "loading";
  /** Why the server rejects this person, in the phase "stopped". */
  stopReason = "";
  /** Why this person is paused; empty if the leader did it. */
  pausedFor: Me["paused_for"];
  /** Clips to show: the current one, and the next one to preload. */
  tasks: Task[] = [];
  progress: Progress;
  correcting: Correction | null = null;
  /** The last request failed. */
  failing = false;
  /** Time of the next attempt in milliseconds since 1970; null while a request is running. */
  retryAt: number | null = null;
  /** Whether an answer has been confirmed since the page was opened. */
  savedAny = false;
  /** A message, shown until the next answer. */
  notice = "";
  changed: () => void = () => {};

  readonly clock = new Clock();
  private readonly outbox: Outbox;
  private readonly drafts = new Map<number, Draft>();
  private readonly retry = new Pause();
  private pollTimer: ReturnType<typeof setTimeout> | undefined;
  private stale = true;
  private busy = false;
  private goingBack = false;

  constructor(me: Me) {
    this.outbox = new Outbox(me.key);
    this.progress = me.progress;
    this.pausedFor = me.paused_for;
    this.phase = me.state === "paused" ? "paused" : "loading";
    const now = () => this.tryNow();
    addEventListener("online", now);
    document.addEventListener("visibilitychange", () => document.hidden || now());
    addEventListener("beforeunload", (event) => this.unsent > 0 && event.preventDefault());
    void this.run();
  }

  /** The number of answers that the server has not confirmed. */
  get unsent(): number {
    return this.outbox.size;
  }

  /** The same in all windows of this browser. */
  unsentEverywhere(): Promise<number> {
    return this.outbox.everywhere();
  }

  /** Whether unconfirmed answers survive closing the page and the browser; undefined until known. */
  get kept(): boolean | undefined {
    return this.outbox.kept;
  }

  /** The current clip; undefined if there is none. */
  get shown(): Task | undefined {
    return this.correcting?.task ?? (this.phase === "working" ? this.tasks[0] : undefined);
  }

  draft(task: Task): Draft {
    return this.drafts.get(task.task) ?? EMPTY;
  }

  change(task: Task, draft: Draft): void {
    this.drafts.set(task.task, draft);
    this.changed();
  }

  /**
   * Queues the answer to the current clip and shows the next one. All answers are saved when `unsent` is 0.
   */
  send(): void {
    const task = this.shown!;
    const draft = this.draft(task);
    const before = this.correcting?.answer;
    const milliseconds = this.clock.milliseconds(task.task) + (before?.milliseconds ?? 0);
    if (!before || !same(draft, before))
      void this.outbox.put(task.task, answerOf(draft, milliseconds)).then(() => this.changed());
    this.notice = "";
    if (before) this.leave();
    else this.showNext(task);
  }

  /** Reports that the current clip does not play, and shows the next one. */
  skip(): void {
    const task = this.shown!;
    void this.outbox.put(task.task, null).then(() => this.changed());
    this.notice = say("notice.reported");
    this.showNext(task);
  }

  /** Shows the answer before the current one, after all answers are sent. */
  back(): void {
    this.goingBack = true;
    if (this.retry.waiting) this.retry.stop();
    else void this.run();
  }

  /** Returns to the clip that was shown before going back. */
  leave(): void {
    const { task } = this.correcting!;
    this.correcting = null;
    this.notice = "";
    this.done(task);
    void this.run();
  }

  /** Starts the next attempt at once. */
  tryNow(): void {
    if (this.phase in POLL_INTERVAL) this.stale = true;
    if (this.retry.waiting) this.retry.stop();
    else void this.run();
  }

  /** No further requests: the person has signed out. */
  end(): void {
    this.phase = "stopped";
    clearTimeout(this.pollTimer);
    this.retry.stop();
  }

  /** Shows the clip after the current one. */
  private showNext(task: Task): void {
    this.tasks = this.tasks.slice(1);
    if (!this.tasks.length) this.phase = "loading";
    this.done(task);
    void this.run();
  }

  private done(task: Task): void {
    this.drafts.delete(task.task);
    this.clock.forget(task.task);
    this.changed();
  }

  private async run(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    let failures = 0;
    await this.outbox.ready;
    while (this.phase !== "stopped" && (this.unsent || this.goingBack || this.stale)) {
      try {
        await this.step();
        failures = 0;
        this.failing = false;
      } catch (error) {
        await this.recover(error, ++failures);
      }
      this.retryAt = null;
      this.changed();
    }
    this.busy = false;
  }

  private async step(): Promise<void> {
    const first = this.outbox.first();
    if (first) return this.deliver(first);
    // The server knows the order of the answers, so all of them are sent first.
    return this.goingBack ? this.showEarlier() : this.poll();
  }

  private async deliver(unsent: Unsent): Promise<void> {
    const { task, answer } = unsent;
    const send = answer
      ? post<Saved>("/api/annotator/answers", { task, answer, age: ageOf(unsent) } satisfies SendAnswer)
      : post<Saved>("/api/annotator/reports", { task });
    try {
      this.progress = (await send).progress;
      this.savedAny = true;
    } catch (error) {
      // Only this answer is rejected if the session is still valid; otherwise paused() throws too.
      if (!(error instanceof HttpError) || error.wait || (await this.paused())) throw error;
      this.notice = say("notice.rejected", { reason: rejection(error) });
    }
    this.outbox.remove(unsent);
    this.stale = true;
  }

  private async showEarlier(): Promise<void> {
    const before = this.correcting ? `?before=${this.correcting.task.task}` : "";
    const { task, answer } = await get<Earlier>(`/api/annotator/answers${before}`);
    this.goingBack = false;
    if (!task || !answer) {
      this.notice = say(this.correcting ? "notice.first_answer" : "notice.no_earlier");
      return;
    }
    if (this.correcting) this.done(this.correcting.task);
    this.correcting = { task, answer };
    this.notice = "";
    this.drafts.set(task.task, draftOf(answer));
  }

  private async poll(): Promise<void> {
    clearTimeout(this.pollTimer);
    const next = await post<Next>("/api/annotator/next");
    this.stale = false;
    this.progress = next.progress;
    this.take(next.tasks);
    if (this.tasks.length) this.phase = "working";
    else if (this.unsent) this.phase = "loading";
    else if (next.over) this.finish(next.over);
    else if (await this.paused()) this.phase = "paused";
    else this.phase = next.waiting ? "waiting" : "done";
    const pause = POLL_INTERVAL[this.phase as keyof typeof POLL_INTERVAL];
    if (pause) this.pollTimer = setTimeout(() => document.hidden || this.tryNow(), pause);
  }

  /** The screen says why there are no more clips. */
  private finish(over: "closed" | "quota"): void {
    this.phase = over;
    this.notice = "";
  }

  /** The assigned clips without those answered in the meantime. The current clip stays first. */
  private take(held: Task[]): void {
    const open = held.filter(({ task }) => !this.outbox.has(task));
    const current = this.tasks[0]?.task;
    if (current !== undefined && !open.some(({ task }) => task === current))
      this.notice = say("notice.reassigned");
    this.tasks = [
      ...open.filter(({ task }) => task === current),
      ...open.filter(({ task }) => task !== current),
    ];
  }

  private async paused(): Promise<boolean> {
    const me = await get<Me>("/api/annotator");
    this.pausedFor = me.paused_for;
    return me.state === "paused";
  }

  /** Waits before the next attempt, or stops if the server rejects this person. */
  private async recover(error: unknown, failures: number): Promise<void> {
    if (this.goingBack) this.notice = say("notice.earlier_needs_server");
    this.goingBack = false;
    if (error instanceof HttpError && error.forbidden) {
      this.phase = "stopped";
      this.stopReason = problem(error);
      // The server is reachable, and no request is repeated.
      this.failing = false;
      return;
    }
    if (!(error instanceof HttpError || error instanceof Unreachable)) console.error(error);
    // The message about unsent answers depends on whether this browser stores them.
    await this.outbox.settled();
    const pause = Math.max(backOff(failures), error instanceof HttpError ? 1000 * error.wait : 0);
    this.failing = true;
    this.retryAt = Date.now() + pause;
    this.changed();
    await this.retry.for(pause);
  }
}
