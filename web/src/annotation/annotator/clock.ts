// SPDX-License-Identifier: MIT

/** Measures how long each clip was shown, without the time in which the page was hidden. */
export class Clock {
  private readonly spent = new Map<number, number>();
  private shown: number | null = null;
  private since = 0;
  private visible = !document.hidden;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      this.settle();
      this.visible = !document.hidden;
    });
  }

  /** Starts to measure for this clip, and stops for any other. */
  show(task: number): void {
    if (task === this.shown) return;
    this.settle();
    this.shown = task;
  }

  /** Stops to measure for this clip. Has no effect if another clip is measured. */
  hide(task: number): void {
    if (task !== this.shown) return;
    this.settle();
    this.shown = null;
  }

  /** The time so far in whole milliseconds. */
  milliseconds(task: number): number {
    this.settle();
    return Math.round(this.spent.get(task) ?? 0);
  }

  /** Resets the time of the clip. */
  forget(task: number): void {
    this.spent.delete(task);
    if (this.shown === task) this.shown = null;
  }

  private settle(): void {
    const now = performance.now();
    if (this.shown !== null && this.visible)
      this.spent.set(this.shown, (this.spent.get(this.shown) ?? 0) + now - this.since);
    this.since = now;
  }
}
