// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";

import { count, plural } from "../../common/format";
import { Name } from "../../common/name";
import { useMedia } from "../../common/theme";
import type { DisputedClip, Disputes as Page } from "../api";
import { get, problem } from "../client";
import { Names } from "./names";

const AT_ONCE = 20;

/** Plays over and over while it is in sight, unless the reader wants less motion. */
function Clip({ clip }: { clip: DisputedClip }) {
  const video = useRef<HTMLVideoElement>(null);
  const still = useMedia("(prefers-reduced-motion: reduce)");
  useEffect(() => {
    const player = video.current!;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry!.isIntersecting) player.pause();
      // Where the browser refuses, there are the controls.
      else if (!still) player.play().catch(() => {});
    });
    observer.observe(player);
    return () => observer.disconnect();
  }, [still]);
  return (
    <video
      ref={video}
      src={clip.video}
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
      {others > 0 && <p class="note">{plural(others, "verb")} more that nobody chose.</p>}
    </>
  );
}

const LEFT_OUT = {
  doubtful: "most were not confident",
  nothing: "most said that nothing happens",
  no_verb: "no original label is known, and no verb was chosen by at least half",
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

/** The clips on which people differ most, with who chose what. */
export function Disputes({ known }: { known: number }) {
  const [clips, setClips] = useState<DisputedClip[]>([]);
  const [total, setTotal] = useState<number | null>(null);
  /** So many places of the order were asked for. */
  const [asked, setAsked] = useState(0);
  const [failure, setFailure] = useState("");
  const load = async (from: number) => {
    setFailure("");
    try {
      const page = await get<Page>(`/api/leader/disputes?from=${from}&count=${AT_ONCE}`);
      setTotal(page.total);
      setAsked(from + page.clips.length);
      // New answers change the order, so that clips seen before may come again.
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
        {/* A list that changes while somebody reads it would be a nuisance, so it waits to be asked. */}
        <button type="button" onClick={() => void load(0)}>
          {total !== null && known !== total ? `Refresh: there are ${count(known)} now` : "Refresh"}
        </button>
      </div>
      <p class="note">
        Clips with several answers that differ, most first. A verb is kept when at least half chose it; the
        original label always is, unless the clip is left out.
      </p>
      <p class="error" role="alert">
        {failure}
      </p>
      {total === 0 && <p>People agree on every clip that several have answered.</p>}
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
            {asked >= total && ": the order has changed, so refresh to see the rest"}
          </span>
        </p>
      )}
    </>
  );
}
