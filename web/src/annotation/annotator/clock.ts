// SPDX-License-Identifier: MIT

/** How long each clip was looked at, without the time in which the page was hidden. */
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

  /** From now on the time counts for this clip, and for no other. */
  show(task: number): void {
    if (task === this.shown) return;
    this.settle();
    this.shown = task;
  }

  /** The time no longer counts for this clip; nothing changes when it counts for another already. */
  hide(task: number): void {
    if (task !== this.shown) return;
    this.settle();
    this.shown = null;
  }

  /** Whole milliseconds so far. */
  milliseconds(task: number): number {
    this.settle();
    return Math.round(this.spent.get(task) ?? 0);
  }

  /** The next look at the clip starts from nothing. */
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
