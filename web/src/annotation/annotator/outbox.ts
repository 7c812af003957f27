// SPDX-License-Identifier: MIT
import type { Answer } from "../api";

/** An answer; null says that the clip does not play. */
export type Sent = Answer | null;

/** An answer as the browser's database keeps it. */
interface Entry {
  owner: string;
  task: number;
  answer: Sent;
  /** Milliseconds since 1970. */
  given: number;
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
 * Answers that the server has not confirmed yet, oldest first. They are kept in the browser as well,
 * one entry each, so that they outlive the page and two tabs do not overwrite each other's. They are in
 * the database, not in localStorage, which reaches the disk only seconds later: they outlive a browser
 * that is killed, too.
 */
export class Outbox {
  /** Answers that an earlier page could not send are here, too. */
  readonly ready: Promise<void>;
  private readonly unsent = new Map<number, Sent>();
  private readonly database = openDatabase();
  private failed = false;
  private writing = 0;
  private written: Promise<unknown> = Promise.resolve();

  /** The owner keeps people apart who use the same browser. */
  constructor(private readonly owner: string) {
    this.ready = this.load();
  }

  get size(): number {
    return this.unsent.size;
  }

  /** Whether everything put outlives the page and the browser; undefined until the disk has answered. */
  get kept(): boolean | undefined {
    return this.writing ? undefined : !this.failed;
  }

  has(task: number): boolean {
    return this.unsent.has(task);
  }

  /** The next to send; undefined when all are confirmed. */
  first(): { task: number; answer: Sent } | undefined {
    for (const [task, answer] of this.unsent) return { task, answer };
    return undefined;
  }

  /** Takes an answer at once; it is on disk, or known not to be, when the promise is kept. */
  put(task: number, answer: Sent): Promise<void> {
    this.unsent.set(task, answer);
    const entry: Entry = { owner: this.owner, task, answer, given: Date.now() };
    this.writing++;
    const written = this.write((entries) => entries.put(entry))
      .catch(() => void (this.failed = true))
      .finally(() => this.writing--);
    this.written = Promise.all([this.written, written]);
    return written;
  }

  /** Forgets an answer that arrived; one that was mended since then stays. */
  remove(task: number, answer: Sent): void {
    if (this.unsent.get(task) !== answer) return;
    this.unsent.delete(task);
    // An entry that stays is sent once more, and counts once.
    this.write((entries) => entries.delete([this.owner, task])).catch(() => {});
  }

  /** Waits until `kept` is known. */
  async settled(): Promise<void> {
    await this.written;
  }

  private async write(change: (entries: IDBObjectStore) => void): Promise<void> {
    const database = await this.database;
    const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
    change(transaction.objectStore(STORE));
    transaction.commit();
    await completed(transaction);
  }

  private async load(): Promise<void> {
    try {
      for (const { task, answer } of await this.stored()) this.unsent.set(task, answer);
    } catch {
      this.failed = true;
    }
  }

  private async stored(): Promise<Entry[]> {
    const transaction = (await this.database).transaction(STORE);
    const mine = IDBKeyRange.bound([this.owner], [this.owner, []]);
    const request = transaction.objectStore(STORE).getAll(mine);
    await completed(transaction);
    // What cannot be read as an answer keeps none of the others back.
    const entries = (request.result as Partial<Entry>[]).filter(
      (entry): entry is Entry =>
        Number.isInteger(entry.task) && (entry.answer === null || Array.isArray(entry.answer?.chosen)),
    );
    return entries.sort((one, other) => one.given - other.given);
  }
}
