// SPDX-License-Identifier: MIT
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useMedia } from "../../common/theme";
import type { Task } from "../api";

type State = "loading" | "playing" | "stopped" | "failed";

interface PlayerProps {
  task: Task;
  /** Loaded while the other one is watched. */
  ahead?: Task;
  /** What assistive technology calls the clip. */
  label: string;
  /** The first picture is in sight. */
  ready: () => void;
  /** Receives a function that plays the clip from its beginning. */
  replay: { current: () => void };
}

function start(video: HTMLVideoElement, stopped: () => void): void {
  video.currentTime = 0;
  // Browsers may refuse, to save power for one; then the person starts it. Being interrupted by the
  // next clip is no refusal.
  video.play().catch((error: Error) => error.name === "NotAllowedError" && stopped());
}

/** The clip, over and over and without sound; once only, and when asked, for whoever wants less motion. */
export function Player({ task, ahead, label, ready, replay }: PlayerProps) {
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const current = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>("loading");

  const play = () => start(current.current!, () => setState("stopped"));
  const retry = () => {
    setState("loading");
    current.current!.load();
    play();
  };
  replay.current = () => (state === "failed" ? retry() : play());

  useLayoutEffect(() => {
    const video = current.current!;
    // A clip that was loaded ahead has told so before it was in sight.
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) ready();
    setState(video.error ? "failed" : still ? "stopped" : "loading");
    if (!still) play();
    return () => video.pause();
  }, [task.task]);

  useEffect(() => {
    if (state !== "failed") return;
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [state]);

  const mine = (then: () => void) => (event: Event) => event.currentTarget === current.current && then();
  const clips = ahead && ahead.task !== task.task ? [task, ahead] : [task];
  return (
    <div class="player">
      {clips.map((clip) => (
        <video
          key={clip.task}
          ref={clip === task ? current : undefined}
          class={clip === task ? "clip" : "clip ahead"}
          src={clip.video}
          aria-label={clip === task ? label : undefined}
          aria-hidden={clip === task ? undefined : true}
          muted
          loop={!still}
          playsInline
          disableRemotePlayback
          preload="auto"
          onLoadedData={mine(ready)}
          onPlaying={mine(() => setState("playing"))}
          onEnded={mine(() => setState("stopped"))}
          onError={mine(() => setState("failed"))}
          onMouseDown={(event) => event.preventDefault()}
          onClick={mine(() => replay.current())}
        />
      ))}
      {state === "loading" && <p class="over">Loading the clip…</p>}
      {state === "stopped" && (
        <button type="button" class="over" onClick={() => replay.current()}>
          ▶ Play the clip
        </button>
      )}
      {state === "failed" && (
        <div class="over">
          <p>The clip does not load.</p>
          <button type="button" onClick={retry}>
            Load it again
          </button>
        </div>
      )}
    </div>
  );
}
