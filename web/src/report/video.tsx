// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import type { Video } from "./data";

/** The URL of a file relative to the report; null if it is not a plain path. */
function address({ src, start, stop }: Video): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(src)) return null;
  const path = src.split("/").map(encodeURIComponent).join("/");
  if (start === null && stop === null) return path;
  return `${path}#t=${start ?? 0}${stop === null ? "" : `,${stop}`}`;
}

/**
 * A video that shows its middle frame first. When started, it plays its range in a loop, without sound; with `plays` it
 * starts by itself, unless the reader prefers less motion.
 */
export function ClipVideo({
  video,
  label,
  plays = false,
}: {
  video: Video | undefined;
  label: string;
  plays?: boolean;
}) {
  const [missing, setMissing] = useState(false);
  const [started, setStarted] = useState(false);
  const source = video ? address(video) : null;
  if (!video || source === null) return null;
  if (missing) return <p class="note">The video was moved or deleted after the report was created.</p>;
  const repeat = (event: { currentTarget: HTMLVideoElement }) => {
    const player = event.currentTarget;
    if (video.stop !== null && player.currentTime >= video.stop) {
      player.currentTime = video.start ?? 0;
      void player.play();
    }
  };
  const showMiddle = ({ currentTarget: player }: { currentTarget: HTMLVideoElement }) => {
    player.currentTime = ((video.start ?? 0) + (video.stop ?? player.duration)) / 2;
  };
  const start = ({ currentTarget: player }: { currentTarget: HTMLVideoElement }) => {
    if (!started) player.currentTime = video.start ?? 0;
    setStarted(true);
  };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  return (
    <video
      src={source}
      autoPlay={plays && !still}
      aria-label={label}
      controls
      muted
      loop
      playsInline
      preload="metadata"
      onLoadedMetadata={showMiddle}
      onPlay={start}
      onTimeUpdate={repeat}
      onError={() => setMissing(true)}
    />
  );
}
