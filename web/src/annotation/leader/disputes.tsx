// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";

import { count, plural } from "../../common/format";
import { Name } from "../../common/name";
import { useMedia } from "../../common/theme";
import type { DisputedClip, Disputes as Page } from "../api";
import { get, problem, urlOf } from "../client";
import { Names } from "./names";

const AT_ONCE = 20;

/** Plays in a loop while it is visible, unless the user prefers reduced motion. */
function Clip({ clip }: { clip: DisputedClip }) {
  const video = useRef<HTMLVideoElement>(null);
  const still = useMedia("(prefers-reduced-motion: reduce)");
  useEffect(() => {
    const player = video.current!;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry!.isIntersecting) player.pause();
      // If the browser blocks autoplay, the user has the controls.
      else if (!still) player.play().catch(() => {});
    });
    observer.observe(player);
    return () => observer.disconnect();
  }, [still]);
  return (
    <video
      ref={video}
      src={urlOf(clip.video)}
      aria-label={`Clip no. ${clip.task}`}
      controls
      muted
      loop
      playsInline
      preload="metadata"
    />
  );
}

function Choices({ clip }: { clip: DisputedClip }) {
  const chosen = clip.candidates.filter((candidate) => candidate.chosen_by.length > 0 || candidate.kept);
  const others = clip.candidates.length - chosen.length;
  return (
    <>
      <table class="votes">
        <thead>
          <tr>
            <th scope="col">Verb</th>
            <th scope="col">Result</th>
            <th scope="col">Chosen by</th>
          </tr>
        </thead>
        <tbody>
          {chosen.map(({ name, chosen_by: people, kept }) => (
            <tr key={name}>
              <th scope="row">
                <Name text={name} /> {name === clip.original && <span class="badge">original</span>}
              </th>
              <td class={kept ? "kept" : ""}>{kept ? "✓ kept" : "dropped"}</td>
              <td>
                <span class="tally">
                  {people.length} of {clip.answers}
                </span>{" "}
                <Names names={people} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {others > 0 && <p class="note">{plural(others, "more verb")} that nobody chose.</p>}
    </>
  );
}

const LEFT_OUT = {
  doubtful: "more than half were not confident",
  nothing: "more than half said that nothing happens",
  no_verb: "no known original label, and no verb was chosen by at least half",
};

function Card({ clip }: { clip: DisputedClip }) {
  return (
    <li class="panel-box dispute">
      <Clip clip={clip} />
      <div>
        <h2>
          Clip no. {clip.task} <Name text={clip.clip} />
        </h2>
        {clip.outcome !== "kept" && <p class="doubtful">⚠ Left out: {LEFT_OUT[clip.outcome]}.</p>}
        <Choices clip={clip} />
        {clip.not_confident.length > 0 && (
          <p>
            Not confident: <Names names={clip.not_confident} />
          </p>
        )}
        {clip.nothing.length > 0 && (
          <p>
            Nothing happens here: <Names names={clip.nothing} />
          </p>
        )}
      </div>
    </li>
  );
}

/** The clips with the most disagreement, and who chose what. */
export function Disputes({ known }: { known: number }) {
  const [clips, setClips] = useState<DisputedClip[]>([]);
  const [total, setTotal] = useState<number | null>(null);
  /** The number of clips requested so far. */
  const [asked, setAsked] = useState(0);
  const [failure, setFailure] = useState("");
  const load = async (from: number) => {
    setFailure("");
    try {
      const page = await get<Page>(`/api/leader/disputes?from=${from}&count=${AT_ONCE}`);
      setTotal(page.total);
      setAsked(from + page.clips.length);
      // New answers change the order, so clips may be returned twice.
      const isNew = ({ task }: DisputedClip, before: DisputedClip[]) =>
        !before.some((clip) => clip.task === task);
      setClips((before) =>
        from === 0 ? page.clips : [...before, ...page.clips.filter((clip) => isNew(clip, before))],
      );
    } catch (error) {
      setFailure(problem(error));
    }
  };
  useEffect(() => void load(0), []);
  return (
    <>
      <div class="heading">
        <h1>{total === null ? "Disputes" : `${plural(total, "clip").replace(/^one/, "One")} in dispute`}</h1>
        {/* The list does not update by itself, because it would change while somebody reads it. */}
        <button type="button" onClick={() => void load(0)}>
          {total !== null && known !== total ? `Refresh (now ${count(known)} clips)` : "Refresh"}
        </button>
      </div>
      <p class="note">
        Clips with different answers, ordered by disagreement. A verb is kept if at least half chose it. The
        original label is always kept, unless the clip is left out.
      </p>
      <p class="error" role="alert">
        {failure}
      </p>
      {total === 0 && <p>There is no disagreement on clips with several answers.</p>}
      <ol class="disputes">
        {clips.map((clip) => (
          <Card key={clip.task} clip={clip} />
        ))}
      </ol>
      {total !== null && clips.length < total && (
        <p class="more">
          {asked < total && (
            <button type="button" onClick={() => void load(asked)}>
              Show more
            </button>
          )}
          <span class="note">
            {count(clips.length)} of {count(total)}
            {asked >= total && ": the order has changed; refresh to see the rest"}
          </span>
        </p>
      )}
    </>
  );
}
