// SPDX-License-Identifier: MIT
import type { Answer } from "../api";

/**
 * Answers that the server has not confirmed yet, oldest first. They are kept in the browser as well,
 * one entry each, so that they outlive the page and two tabs do not overwrite each other's.
 */
export class Outbox {
  private readonly unsent = new Map<number, Answer>();
  private readonly prefix: string;

  /** The owner keeps people apart who use the same browser. */
  constructor(owner: string) {
    this.prefix = `manyverbs-answer/${encodeURIComponent(owner)}/`;
    for (const { task, answer } of this.stored()) this.unsent.set(task, answer);
  }

  get size(): number {
    return this.unsent.size;
  }

  has(task: number): boolean {
    return this.unsent.has(task);
  }

  /** The next to send; undefined when all are confirmed. */
  first(): { task: number; answer: Answer } | undefined {
    for (const [task, answer] of this.unsent) return { task, answer };
    return undefined;
  }

  put(task: number, answer: Answer): void {
    this.unsent.set(task, answer);
    try {
      localStorage.setItem(this.prefix + task, JSON.stringify({ given: Date.now(), answer }));
    } catch {
      // Without storage the answer lives as long as the page.
    }
  }

  /** Forgets an answer that arrived; one that was mended since then stays. */
  remove(task: number, answer: Answer): void {
    if (this.unsent.get(task) !== answer) return;
    this.unsent.delete(task);
    try {
      localStorage.removeItem(this.prefix + task);
    } catch {
      // See put.
    }
  }

  private stored(): { task: number; answer: Answer }[] {
    const found: { task: number; answer: Answer; given: number }[] = [];
    try {
      for (const key of Object.keys(localStorage).filter((each) => each.startsWith(this.prefix))) {
        const { given, answer } = JSON.parse(localStorage.getItem(key)!) as { given: number; answer: Answer };
        found.push({ task: Number(key.slice(this.prefix.length)), answer, given });
      }
    } catch {
      // See put.
    }
    return found.sort((one, other) => one.given - other.given);
  }
}
