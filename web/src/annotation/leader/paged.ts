// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { get, problem } from "../client";

const AT_ONCE = 20;

/** A list that is requested in parts. It does not update by itself: it would change while somebody reads it. */
export interface Paged<Page, Entry> {
  entries: Entry[];
  /** The first part, with what it says about the whole list; null until it is there. */
  page: Page | null;
  /** The number of entries requested so far. */
  asked: number;
  failure: string;
  load: (from: number) => Promise<void>;
}

/** `path` ends in "?" or "&". New answers change the order, so entries may be returned twice. */
export function usePaged<Page extends { total: number }, Entry>(
  path: string,
  entriesOf: (page: Page) => Entry[],
  keyOf: (entry: Entry) => number,
): Paged<Page, Entry> {
  const [entries, setEntries] = useState<Entry[]>([]);
  const [page, setPage] = useState<Page | null>(null);
  const [asked, setAsked] = useState(0);
  const [failure, setFailure] = useState("");
  const load = async (from: number) => {
    setFailure("");
    try {
      const got = await get<Page>(`${path}from=${from}&count=${AT_ONCE}`);
      const more = entriesOf(got);
      setPage(got);
      setAsked(from + more.length);
      const isNew = (entry: Entry, before: Entry[]) => !before.some((each) => keyOf(each) === keyOf(entry));
      setEntries((before) =>
        from === 0 ? more : [...before, ...more.filter((entry) => isNew(entry, before))],
      );
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void load(0), [path]);
  return { entries, page, asked, failure, load };
}
