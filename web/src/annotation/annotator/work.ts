// SPDX-License-Identifier: MIT
import type { Answer, Earlier, Me, Next, Progress, Saved, Task } from "../api";
import { get, post, Refused, Unreachable } from "../client";
import { backOff, Pause } from "../wait";
import { Clock } from "./clock";
import { answerOf, draftOf, EMPTY, same, type Draft } from "./draft";
import { Outbox, type Sent } from "./outbox";

/** Milliseconds between looks for something new when there is nothing to do. */
const LOOK_AGAIN = { waiting: 10_000, paused: 15_000, done: 60_000 };

export type Phase = "loading" | "working" | "waiting" | "done" | "paused" | "refused";

/** An earlier answer, shown again. */
export interface Mending {
  task: Task;
  answer: Answer;
}

/**
 * An annotator's work: the clips held, the answers on their way, and the way back to earlier ones.
 *
 * One request runs at a time: first the answers not yet confirmed, then a look for clips. One that
 * fails is tried again, after ever longer waits, until it succeeds or the server says no. Whoever
 * draws this is told about changes through `changed`.
 */
export class Work {
  phase: Phase = "loading";
  /** Why there is no way on, in the server's words; with the phase "refused". */
  refusal = "";
  /** Clips to show, the first one now and the second one loaded ahead. */
  tasks: Task[] = [];
  progress: Progress;
  mending: Mending | null = null;
  /** The last request failed. */
  failing = false;
  /** When the next try is due, in milliseconds since 1970; null while one is under way. */
  retryAt: number | null = null;
  /** True from the first confirmed answer on. */
  savedAny = false;
  /** Something the person should know, until the next answer. */
  notice = "";
  changed: () => void = () => {};

  readonly clock = new Clock();
  private readonly outbox: Outbox;
  private readonly drafts = new Map<number, Draft>();
  private readonly retry = new Pause();
  private lookAgain: ReturnType<typeof setTimeout> | undefined;
  private stale = true;
  private busy = false;
  private goingBack = false;

  constructor(me: Me) {
    this.outbox = new Outbox(me.key);
    this.progress = me.progress;
    this.phase = me.state === "paused" ? "paused" : "loading";
    const now = () => this.tryNow();
    addEventListener("online", now);
    document.addEventListener("visibilitychange", () => document.hidden || now());
    addEventListener("beforeunload", (event) => this.unsent > 0 && event.preventDefault());
    void this.run();
  }

  /** Answers that the server has not confirmed. */
  get unsent(): number {
    return this.outbox.size;
  }

  /** Whether answers not confirmed outlive this page and this browser; undefined until that is known. */
  get kept(): boolean | undefined {
    return this.outbox.kept;
  }

  /** The clip in sight; undefined when there is none. */
  get shown(): Task | undefined {
    return this.mending?.task ?? (this.phase === "working" ? this.tasks[0] : undefined);
  }

  draft(task: Task): Draft {
    return this.drafts.get(task.task) ?? EMPTY;
  }

  change(task: Task, draft: Draft): void {
    this.drafts.set(task.task, draft);
    this.changed();
  }

  /** Takes the answer to the clip in sight and goes on; all are saved when `unsent` is 0. */
  send(): void {
    const task = this.shown!;
    const draft = this.draft(task);
    const before = this.mending?.answer;
    const milliseconds = this.clock.milliseconds(task.task) + (before?.milliseconds ?? 0);
    if (!before || !same(draft, before))
      void this.outbox.put(task.task, answerOf(draft, milliseconds)).then(() => this.changed());
    this.notice = "";
    if (before) this.leave();
    else this.goOn(task);
  }

  /** Reports that the clip in sight does not play, and goes on. */
  skip(): void {
    const task = this.shown!;
    void this.outbox.put(task.task, null).then(() => this.changed());
    this.notice = "Noted: the clip before does not play. Others are asked instead.";
    this.goOn(task);
  }

  /** Shows the answer before the one in sight, as soon as the server has all answers. */
  back(): void {
    this.goingBack = true;
    if (this.retry.waiting) this.retry.stop();
    else void this.run();
  }

  /** Back to the clip that was in sight before going back. */
  leave(): void {
    const { task } = this.mending!;
    this.mending = null;
    this.notice = "";
    this.done(task);
    void this.run();
  }

  /** Does not wait any longer before the next try. */
  tryNow(): void {
    if (this.phase in LOOK_AGAIN) this.stale = true;
    if (this.retry.waiting) this.retry.stop();
    else void this.run();
  }

  /** From the clip in sight to the next one. */
  private goOn(task: Task): void {
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
    while (this.phase !== "refused" && (this.unsent || this.goingBack || this.stale)) {
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
    if (first) return this.deliver(first.task, first.answer);
    // The server knows the order of the answers, so it is asked when it has them all.
    return this.goingBack ? this.showEarlier() : this.look();
  }

  private async deliver(task: number, answer: Sent): Promise<void> {
    const send = answer
      ? post<Saved>("/api/annotator/answers", { task, answer })
      : post<Saved>("/api/annotator/reports", { task });
    try {
      this.progress = (await send).progress;
      this.savedAny = true;
    } catch (error) {
      // Refused for good is this answer alone, if the person is still welcome; else this asks in vain.
      if (!(error instanceof Refused) || error.wait || (await this.paused())) throw error;
      this.notice = `An answer was not taken: ${error.message}`;
    }
    this.outbox.remove(task, answer);
    this.stale = true;
  }

  private async showEarlier(): Promise<void> {
    const before = this.mending ? `?before=${this.mending.task.task}` : "";
    const { task, answer } = await get<Earlier>(`/api/annotator/answers${before}`);
    this.goingBack = false;
    if (!task || !answer) {
      this.notice = this.mending ? "This was your first answer." : "There is no earlier answer yet.";
      return;
    }
    if (this.mending) this.done(this.mending.task);
    this.mending = { task, answer };
    this.notice = "";
    this.drafts.set(task.task, draftOf(answer));
  }

  private async look(): Promise<void> {
    clearTimeout(this.lookAgain);
    const next = await post<Next>("/api/annotator/next");
    this.stale = false;
    this.progress = next.progress;
    this.take(next.tasks);
    if (this.tasks.length) this.phase = "working";
    else if (this.unsent) this.phase = "loading";
    else if (await this.paused()) this.phase = "paused";
    else this.phase = next.waiting ? "waiting" : "done";
    const pause = LOOK_AGAIN[this.phase as keyof typeof LOOK_AGAIN];
    if (pause) this.lookAgain = setTimeout(() => document.hidden || this.tryNow(), pause);
  }

  /** The clips held, without those answered meanwhile; the one in sight stays in sight. */
  private take(held: Task[]): void {
    const open = held.filter(({ task }) => !this.outbox.has(task));
    const inSight = this.tasks[0]?.task;
    if (inSight !== undefined && !open.some(({ task }) => task === inSight))
      this.notice = "The clip that you saw went to somebody else; here is another one.";
    this.tasks = [
      ...open.filter(({ task }) => task === inSight),
      ...open.filter(({ task }) => task !== inSight),
    ];
  }

  private async paused(): Promise<boolean> {
    return (await get<Me>("/api/annotator")).state === "paused";
  }

  /** Waits where another try may help; ends the work where the server wants no more of it. */
  private async recover(error: unknown, failures: number): Promise<void> {
    if (this.goingBack) this.notice = "Going back needs the connection. Try again in a moment.";
    this.goingBack = false;
    if (error instanceof Refused && error.forbidden) {
      this.phase = "refused";
      this.refusal = error.message;
      // The server does answer, and nothing is tried again.
      this.failing = false;
      return;
    }
    if (!(error instanceof Refused || error instanceof Unreachable)) console.error(error);
    // What is said about answers not sent depends on whether this browser keeps them.
    await this.outbox.settled();
    const pause = Math.max(backOff(failures), error instanceof Refused ? 1000 * error.wait : 0);
    this.failing = true;
    this.retryAt = Date.now() + pause;
    this.changed();
    await this.retry.for(pause);
  }
}
