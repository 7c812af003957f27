// SPDX-License-Identifier: MIT
import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";

import { count } from "../../common/format";
import { Name } from "../../common/name";
import type { Remark, Remarks as Page } from "../api";
import { get, problem, urlOf } from "../client";
import { Names } from "./names";
import { ago } from "./words";

const AT_ONCE = 50;
const CLIPS_SHOWN = 10;

function ClipLink({ task, clip, video }: { task: number; clip: string; video: string }) {
  return (
    <a href={urlOf(video)} target="_blank" rel="noreferrer" title={clip}>
      no. {task}
    </a>
  );
}

function Verbs({ verbs }: { verbs: Page["verbs"] }) {
  return (
    <section class="panel-box">
      <h2>Verbs that people entered</h2>
      <p class="note">
        People who choose “None of these verbs” can enter a verb. A verb that comes often may be missing in
        the vocabulary, or among the candidates.
      </p>
      {verbs.length === 0 ? (
        <p>Nobody has entered a verb.</p>
      ) : (
        <table class="people entered">
          <thead>
            <tr>
              <th scope="col">Verb</th>
              <th scope="col" class="number">
                Answers
              </th>
              <th scope="col">Clips</th>
            </tr>
          </thead>
          <tbody>
            {verbs.map(({ verb, answers, clips }) => (
              <tr key={verb}>
                <th scope="row">
                  <Name text={verb} />
                </th>
                <td data-title="Answers" class="number">
                  {count(answers)}
                </td>
                <td data-title="Clips">
                  {clips.slice(0, CLIPS_SHOWN).map((clip, at) => (
                    <Fragment key={clip.task}>
                      {at > 0 && ", "}
                      <ClipLink {...clip} />
                    </Fragment>
                  ))}
                  {clips.length > CLIPS_SHOWN && ` and ${count(clips.length - CLIPS_SHOWN)} more`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function AnswerText({ remark }: { remark: Remark }) {
  if (remark.nothing) return <>Nothing happens here</>;
  if (!remark.other) return <Names names={remark.chosen} />;
  return (
    <>
      None of these verbs
      {remark.other_verb && (
        <>
          : <Name text={remark.other_verb} />
        </>
      )}
    </>
  );
}

function Row({ remark }: { remark: Remark }) {
  return (
    <tr>
      <th scope="row">
        Clip <ClipLink {...remark} />
        {remark.flagged && <span class="badge">marked</span>}
      </th>
      <td data-title="By">
        <Name text={remark.name} />
      </td>
      <td data-title="When" title={remark.time}>
        {ago(remark.time, Date.now())}
      </td>
      <td data-title="Answer">
        <AnswerText remark={remark} />
      </td>
      <td data-title="Comment" class="comment">
        <bdi>{remark.comment}</bdi>
      </td>
    </tr>
  );
}

/** What people wrote: comments and flags, and verbs that they missed. */
export function Remarks({ known }: { known: string }) {
  const [page, setPage] = useState<Page | null>(null);
  const [failure, setFailure] = useState("");
  const load = async (shown: number) => {
    setFailure("");
    try {
      const first = await get<Page>(`/api/leader/remarks?from=${shown}&count=${AT_ONCE}`);
      setPage((before) =>
        shown && before ? { ...first, remarks: [...before.remarks, ...first.remarks] } : first,
      );
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void load(0), [known]);
  return (
    <>
      <h1 class="hidden">Comments</h1>
      <p class="error" role="alert">
        {failure}
      </p>
      {page && (
        <>
          <section class="panel-box">
            <h2>{page.total === 1 ? "One comment or mark" : `${count(page.total)} comments and marks`}</h2>
            {page.total === 0 && <p>Nobody has commented on a clip or marked one.</p>}
            {page.total > 0 && (
              <table class="people">
                <thead>
                  <tr>
                    <th scope="col">Clip</th>
                    <th scope="col">By</th>
                    <th scope="col">When</th>
                    <th scope="col">Answer</th>
                    <th scope="col">Comment</th>
                  </tr>
                </thead>
                <tbody>
                  {page.remarks.map((remark) => (
                    <Row key={`${remark.task} ${remark.name} ${remark.time}`} remark={remark} />
                  ))}
                </tbody>
              </table>
            )}
            {page.remarks.length < page.total && (
              <p class="more">
                <button type="button" onClick={() => void load(page.remarks.length)}>
                  Show more
                </button>
                <span class="note">
                  {count(page.remarks.length)} of {count(page.total)}
                </span>
              </p>
            )}
          </section>
          <Verbs verbs={page.verbs} />
        </>
      )}
    </>
  );
}
