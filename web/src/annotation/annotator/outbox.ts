// SPDX-License-Identifier: MIT
import type { Answer } from "../api";

/** An answer; null reports that the clip does not play. */
export type Sent = Answer | null;

/** An answer that the server has not confirmed. */
export interface Unsent {
  task: number;
  answer: Sent;
  /** When it was given, in milliseconds since 1970. */
  given: number;
}

/** An answer in IndexedDB. */
interface Entry extends Unsent {
  owner: string;
}

const LONGEST_AGE = 60 * 86_400_000;

/** Milliseconds since an answer was given, as the server accepts them: the clock may have been set since. */
export function ageOf({ given }: Unsent): number {
  return Math.min(Math.max(Date.now() - given, 0), LONGEST_AGE);
}

const STORE = "answers";

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("manyverbs", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["owner", "task"] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * Answers that the server has not confirmed yet, oldest first. Each is also stored as an entry in IndexedDB,
 * so that it survives closing the page and two tabs do not overwrite each other. localStorage is not used,
 * because it reaches the disk only seconds later and would lose answers if the browser is killed.
 */
export class Outbox {
  /** Resolves when unsent answers of an earlier page are loaded. */
  readonly ready: Promise<void>;
  private readonly unsent = new Map<number, Unsent>();
  private readonly database = openDatabase();
  private failed = false;
  private writing = 0;
  private written: Promise<unknown> = Promise.resolve();

  /** The owner distinguishes people who use the same browser. */
  constructor(private readonly owner: string) {
    this.ready = this.load();
  }

  get size(): number {
    return this.unsent.size;
  }

  /** Whether all answers survive closing the page and the browser; undefined while writing. */
  get kept(): boolean | undefined {
    return this.writing ? undefined : !this.failed;
  }

  has(task: number): boolean {
    return this.unsent.has(task);
  }

  /** The next answer to send; undefined if all are confirmed. */
  first(): Unsent | undefined {
    for (const unsent of this.unsent.values()) return unsent;
    return undefined;
  }

  /** Adds an answer at once. The promise resolves when it is on disk, or writing it has failed. */
  put(task: number, answer: Sent): Promise<void> {
    const entry: Entry = { owner: this.owner, task, answer, given: Date.now() };
    this.unsent.set(task, entry);
    this.writing++;
    const written = this.write((entries) => entries.put(entry))
      .catch(() => void (this.failed = true))
      .finally(() => this.writing--);
    this.written = Promise.all([this.written, written]);
    return written;
  }

  /** Removes a confirmed answer, unless it was corrected in the meantime. */
  remove(sent: Unsent): void {
    const { task } = sent;
    if (this.unsent.get(task) !== sent) return;
    this.unsent.delete(task);
    // If deleting fails, the answer is sent again, which has no effect.
    const deleted = this.write((entries) => {
      const key = [this.owner, task];
      const stored = entries.get(key);
      stored.onsuccess = () => {
        // Another window may have stored a later answer to this task.
        if ((stored.result as Partial<Entry> | undefined)?.given === sent.given) entries.delete(key);
      };
    }).catch(() => {});
    this.written = Promise.all([this.written, deleted]);
  }

  /** The number of answers that are not confirmed, in all windows of this browser. */
  async everywhere(): Promise<number> {
    await this.settled();
    const stored = await this.stored().catch(() => []);
    return Math.max(stored.length, this.size);
  }

  /** Waits until `kept` is known, and confirmed answers are deleted. */
  async settled(): Promise<void> {
    await this.written;
  }

  private async write(change: (entries: IDBObjectStore) => void): Promise<void> {
    const database = await this.database;
    const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
    change(transaction.objectStore(STORE));
    await completed(transaction);
  }

  private async load(): Promise<void> {
    try {
      for (const entry of await this.stored()) this.unsent.set(entry.task, entry);
    } catch {
      this.failed = true;
    }
  }

  private async stored(): Promise<Entry[]> {
    const transaction = (await this.database).transaction(STORE);
    const mine = IDBKeyRange.bound([this.owner], [this.owner, []]);
    const request = transaction.objectStore(STORE).getAll(mine);
    await completed(transaction);
    // Entries that are not valid answers are ignored.
    const entries = (request.result as Partial<Entry>[]).filter(
      (entry): entry is Entry =>
        Number.isInteger(entry.task) &&
        Number.isInteger(entry.given) &&
        (entry.answer === null || Array.isArray(entry.answer?.chosen)),
    );
    return entries.sort((one, other) => one.given - other.given);
  }
}
