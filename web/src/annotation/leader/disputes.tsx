// SPDX-License-Identifier: MIT
import { count, plural } from "../../common/format";
import type { ClipPage, ReviewedClip } from "../api";
import { usePaged } from "./paged";
import { ShowMore } from "./show_more";
import { ClipCard } from "./votes";

/** The clips with the most disagreement, and who chose what. */
export function Disputes({ known }: { known: number }) {
  const list = usePaged<ClipPage, ReviewedClip>(
    "/api/leader/disputes?",
    ({ clips }) => clips,
    ({ task }) => task,
  );
  const total = list.page?.total ?? null;
  return (
    <>
      <div class="heading">
        <h1>{total === null ? "Disputes" : `${plural(total, "clip").replace(/^one/, "One")} in dispute`}</h1>
        <button type="button" onClick={() => void list.load(0)}>
          {total !== null && known !== total ? `Refresh (now ${count(known)} clips)` : "Refresh"}
        </button>
      </div>
      <p class="note">
        Clips with different answers, ordered by disagreement. A verb is kept if at least half chose it. The
        original label is always kept, unless the clip is left out. “Decide” settles a clip: your labels win
        over the answers.
      </p>
      <p class="error" role="alert">
        {list.failure}
      </p>
      {total === 0 && <p>There is no disagreement on clips with several answers.</p>}
      <ol class="disputes">
        {list.entries.map((clip) => (
          <ClipCard key={clip.task} clip={clip} />
        ))}
      </ol>
      <ShowMore list={list} />
    </>
  );
}
