// SPDX-License-Identifier: MIT
//
// A clip and what people said about it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { plural } from "../../common/format";
import { Name } from "../../common/name";
import { useMedia } from "../../common/theme";
import type { ReviewedClip } from "../api";
import { urlOf } from "../client";
import { Names } from "./names";

/** Plays in a loop while it is visible, unless the user prefers reduced motion. */
export function ClipVideo({ clip }: { clip: ReviewedClip }) {
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

function Choices({ clip }: { clip: ReviewedClip }) {
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
  other: "more than half said that none of the verbs applies",
  no_verb: "no known original label, and no verb was chosen by at least half",
};

/** Who was not confident, saw nothing, or could not play the clip. */
export function Remarks({ clip }: { clip: ReviewedClip }) {
  const remarks: [string, string[]][] = [
    ["Not confident", clip.not_confident],
    ["Nothing happens here", clip.nothing],
    ["None of these verbs", clip.other],
    ["Does not play for", clip.reported_by],
  ];
  return (
    <>
      {remarks.map(
        ([title, names]) =>
          names.length > 0 && (
            <p key={title}>
              {title}: <Names names={names} />
            </p>
          ),
      )}
    </>
  );
}

/** What the leader decided, or why the answers leave the clip out. */
export function Outcome({ clip }: { clip: ReviewedClip }) {
  const { decision, outcome } = clip;
  if (decision)
    return (
      <p class={decision.labels.length ? "settled" : "doubtful"}>
        {decision.labels.length ? (
          <>
            ✓ Settled: <Names names={decision.labels.map(({ name }) => name)} />
          </>
        ) : (
          "⚠ Left out by you"
        )}
        {decision.reason && (
          <>
            {" – "}
            <bdi>{decision.reason}</bdi>
          </>
        )}
      </p>
    );
  if (outcome === "kept" || outcome === "left_out" || clip.answers === 0) return null;
  return <p class="doubtful">⚠ Left out: {LEFT_OUT[outcome]}.</p>;
}

/** A clip in a list, with what people chose. */
export function ClipCard({ clip, children }: { clip: ReviewedClip; children?: ComponentChildren }) {
  return (
    <li class="panel-box dispute">
      <ClipVideo clip={clip} />
      <div>
        <div class="heading">
          <h2>
            Clip no. {clip.task} <Name text={clip.clip} />
          </h2>
          <a class="button" href={`#clip=${clip.task}`} aria-label={`Decide: clip no. ${clip.task}`}>
            Decide
          </a>
        </div>
        {children}
        <Outcome clip={clip} />
        {clip.answers > 0 && <Choices clip={clip} />}
        <Remarks clip={clip} />
      </div>
    </li>
  );
}
