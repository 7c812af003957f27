// SPDX-License-Identifier: MIT

const FIRST = 1_000;
const LONGEST = 30_000;

/** Delay in milliseconds after this number of consecutive failures: 1 s, 2 s, 4 s … 30 s. */
export function backOff(failures: number): number {
  return Math.min(LONGEST, FIRST * 2 ** (failures - 1));
}

/** A delay that can be ended early. */
export class Pause {
  private end: (() => void) | null = null;

  /** Whether a delay is running. */
  get waiting(): boolean {
    return this.end !== null;
  }

  for(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end?.(), milliseconds);
      this.end = () => {
        clearTimeout(timer);
        this.end = null;
        resolve();
      };
    });
  }

  stop(): void {
    this.end?.();
  }
}
