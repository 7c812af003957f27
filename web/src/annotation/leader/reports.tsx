// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { plural } from "../../common/format";
import { Name } from "../../common/name";
import type { ReportedClip, Reports as Page } from "../api";
import { get, post, problem } from "../client";
import { Names } from "./names";

interface RowProps {
  clip: ReportedClip;
  reassign: () => void;
}

function Row({ clip, reassign }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <a href={`#clip=${clip.task}`}>Clip no. {clip.task}</a> <Name text={clip.clip} />
        {clip.given_up && <span class="badge">no longer assigned</span>}
      </th>
      <td data-title="Does not play for">
        <Names names={clip.reported_by} />
      </td>
      <td data-title="Answers" class="number">
        {clip.answers}
      </td>
      <td class="changes">
        <button type="button" aria-label={`Assign again: clip no. ${clip.task}`} onClick={reassign}>
          Assign again
        </button>
      </td>
    </tr>
  );
}

/** Clips that were reported as not playing. */
export function Reports({ known, refresh }: { known: number; refresh: () => void }) {
  const [clips, setClips] = useState<ReportedClip[] | null>(null);
  const [failure, setFailure] = useState("");
  const attempt = async (ask: () => Promise<Page>) => {
    setFailure("");
    try {
      setClips((await ask()).clips);
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void attempt(() => get<Page>("/api/leader/reports")), [known]);
  const reassign = async (task: number) => {
    await attempt(() => post<Page>("/api/leader/reports/forget", { task }));
    refresh();
  };
  return (
    <section class="panel-box">
      <h1>{clips?.length ? `${plural(clips.length, "clip").replace(/^one/, "One")} reported` : "Reports"}</h1>
      <p class="note">
        Clips that do not play for at least one person. A report is not an answer: the clip goes to other
        people, until it has as many reports as a clip needs answers. After replacing the video, assign the
        clip again; if it cannot be repaired, open the clip and leave it out.
      </p>
      <p class="error" role="alert">
        {failure}
      </p>
      {clips?.length === 0 && <p>There are no reports.</p>}
      {clips !== null && clips.length > 0 && (
        <table class="people">
          <thead>
            <tr>
              <th scope="col">Clip</th>
              <th scope="col">Does not play for</th>
              <th scope="col" class="number">
                Answers
              </th>
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {clips.map((clip) => (
              <Row key={clip.task} clip={clip} reassign={() => void reassign(clip.task)} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
