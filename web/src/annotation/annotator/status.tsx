// SPDX-License-Identifier: MIT
import type { Progress } from "../api";
import { useSecondsUntil } from "../countdown";
import { say, sayCount } from "../strings/strings";
import type { Work } from "./work";

function Countdown({ until }: { until: number }) {
  return <>{say("lost.next_attempt", { seconds: useSecondsUntil(until) })}</>;
}

/** How many answers are not saved, and what happens to them. */
export function unsaved({ unsent, kept }: Work): string {
  const number = sayCount("unsaved", unsent);
  return kept === undefined ? number : `${number} ${say(kept ? "unsaved.stored" : "unsaved.keep_open")}`;
}

/** Shown above everything else while the server is not reachable. */
export function ConnectionLost({ work }: { work: Work }) {
  if (!work.failing) return null;
  return (
    <div class="lost">
      <p role="alert">
        <strong>{say("lost.title")}</strong> {work.unsent === 0 ? say("lost.all_saved") : unsaved(work)}
      </p>
      <p>
        {work.retryAt === null ? say("lost.connecting") : <Countdown until={work.retryAt} />}{" "}
        <button type="button" onClick={() => work.tryNow()}>
          {say("lost.retry")}
        </button>
      </p>
    </div>
  );
}

/** Whether all answers are saved. "Saving…" is shown, but not announced to screen readers. */
export function SaveState({ work }: { work: Work }) {
  const stuck = work.failing || work.phase === "stopped";
  return (
    <span class={work.unsent > 0 ? "state unsaved" : "state"} role="status">
      {work.unsent > 0 ? (
        <span aria-hidden={!stuck}>{stuck ? `⚠ ${say("state.not_saved")}` : say("state.saving")}</span>
      ) : (
        work.savedAny && `✓ ${say("state.saved")}`
      )}
    </span>
  );
}

export function ProgressBar({ progress: { done, total } }: { progress: Progress }) {
  return (
    <label class="progress">
      <progress max={Math.max(total, 1)} value={done} />
      <span>{say("progress.clips", { done, total })}</span>
    </label>
  );
}
