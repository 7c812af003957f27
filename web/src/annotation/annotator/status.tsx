// SPDX-License-Identifier: MIT
import { count } from "../../common/format";
import type { Progress } from "../api";
import { useSecondsUntil } from "../countdown";
import type { Work } from "./work";

function Countdown({ until }: { until: number }) {
  return <>{useSecondsUntil(until)} s</>;
}

/** "2 answers are not saved yet" */
export function unsaved(answers: number): string {
  return `${answers === 1 ? "One answer is" : `${answers} answers are`} not saved yet`;
}

/** What happens to unsaved answers. */
function keeping(kept: boolean | undefined): string {
  if (kept === undefined) return ".";
  return `: ${kept ? "this browser stores them" : "keep this page open"} until the server responds.`;
}

/** Shown above everything else while the server is not reachable. */
export function ConnectionLost({ work }: { work: Work }) {
  if (!work.failing) return null;
  return (
    <div class="lost">
      <p role="alert">
        <strong>No connection to the server.</strong>{" "}
        {work.unsent === 0
          ? "All answers that you sent are saved."
          : unsaved(work.unsent) + keeping(work.kept)}
      </p>
      <p>
        {work.retryAt === null ? (
          "Connecting…"
        ) : (
          <>
            Next attempt in <Countdown until={work.retryAt} />
          </>
        )}{" "}
        <button type="button" onClick={() => work.tryNow()}>
          Try now
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
        <span aria-hidden={!stuck}>{stuck ? "⚠ Not saved" : "Saving…"}</span>
      ) : (
        work.savedAny && "✓ Saved"
      )}
    </span>
  );
}

export function ProgressBar({ progress: { done, total } }: { progress: Progress }) {
  return (
    <label class="progress">
      <progress max={Math.max(total, 1)} value={done} />
      <span>
        {count(done)} of {count(total)}
      </span>
    </label>
  );
}
