// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

import { count, plural } from "../../common/format";
import { Name } from "../../common/name";
import type { ClipPage, FoundClips, ReviewedClip } from "../api";
import { get, problem } from "../client";
import { Field } from "./form";
import { usePaged } from "./paged";
import { ShowMore } from "./show_more";
import { ClipCard } from "./votes";

/** Milliseconds after the last key until the search starts. */
const SEARCH_DELAY = 200;

function Search() {
  const [text, setText] = useState("");
  const [found, setFound] = useState<FoundClips | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let outdated = false;
    const look = () =>
      get<FoundClips>(`/api/leader/clips?find=${encodeURIComponent(text.trim())}`).then(
        (reply) => outdated || (setFound(reply), setFailure("")),
        (error: unknown) => outdated || setFailure(problem(error)),
      );
    const timer = setTimeout(() => void look(), SEARCH_DELAY);
    return () => {
      outdated = true;
      clearTimeout(timer);
    };
  }, [text]);
  return (
    <section class="panel-box">
      <h2>Find a clip</h2>
      <Field
        label="Number or name"
        type="text"
        value={text}
        change={setText}
        first
        note="The number that annotators see, or a part of the name in the data set."
      />
      <p class="error" role="alert">
        {failure}
      </p>
      {found && (
        <>
          <ul class="found">
            {found.clips.map(({ task, clip, answers, decided }) => (
              <li key={task}>
                <a href={`#clip=${task}`}>Clip no. {task}</a> <Name text={clip} />{" "}
                <span class="note">{answers ? plural(answers, "answer") : "no answers"}</span>
                {decided && <span class="badge">decided</span>}
              </li>
            ))}
          </ul>
          <p class="note" role="status">
            {found.total === 0
              ? "No clip has this number or name."
              : found.total > found.clips.length
                ? `The first ${found.clips.length} of ${count(found.total)} clips.`
                : plural(found.total, "clip").replace(/^one/, "One") + "."}
          </p>
        </>
      )}
    </section>
  );
}

/** Any clip, by number or name, and the clips that the leader has decided. */
export function Clips() {
  const list = usePaged<ClipPage, ReviewedClip>(
    "/api/leader/decisions?",
    ({ clips }) => clips,
    ({ task }) => task,
  );
  return (
    <>
      <h1 class="hidden">Clips</h1>
      <Search />
      {list.page && (
        <h2>
          {list.page.total
            ? `${plural(list.page.total, "clip").replace(/^one/, "One")} decided by you`
            : "You have not decided any clip"}
        </h2>
      )}
      <p class="error" role="alert">
        {list.failure}
      </p>
      <ol class="disputes">
        {list.entries.map((clip) => (
          <ClipCard key={clip.task} clip={clip} />
        ))}
      </ol>
      <ShowMore list={list} />
    </>
  );
}
