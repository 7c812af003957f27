// SPDX-License-Identifier: MIT
import { count } from "../../common/format";
import type { Paged } from "./paged";

/** The button below a list that is longer than what is shown. */
export function ShowMore<Page extends { total: number }, Entry>({ list }: { list: Paged<Page, Entry> }) {
  const { entries, page, asked } = list;
  if (page === null || entries.length >= page.total) return null;
  return (
    <p class="more">
      {asked < page.total && (
        <button type="button" onClick={() => void list.load(asked)}>
          Show more
        </button>
      )}
      <span class="note">
        {count(entries.length)} of {count(page.total)}
        {asked >= page.total && ": the order has changed; refresh to see the rest"}
      </span>
    </p>
  );
}
