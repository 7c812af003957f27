// SPDX-License-Identifier: MIT
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useMedia } from "../../common/theme";
import type { Task } from "../api";
import { KeyButton } from "./key_button";

type State = "loading" | "slow" | "playing" | "stopped" | "failed";

/** Milliseconds of loading after which a clip can be skipped. */
const SKIPPABLE_AFTER = 10_000;

export interface Controls {
  /** Plays the clip from its beginning. */
  replay: () => void;
  /** Skips a clip that does not load; has no effect otherwise. */
  skip: () => void;
}

interface PlayerProps {
  task: Task;
  /** The next clip, preloaded. */
  ahead?: Task;
  /** Accessible name of the clip. */
  label: string;
  /** Called when the first frame is shown. */
  ready: () => void;
  /** Called when the clip starts to play. */
  plays: () => void;
  /** Called when the person skips a clip that does not load; undefined if skipping is not possible. */
  skip?: () => void;
  controls: { current: Controls };
}

function start(video: HTMLVideoElement, stopped: () => void): void {
  video.currentTime = 0;
  // Browsers may refuse, to save power for one; then the person starts it. Being interrupted by the
  // next clip is no refusal.
  video.play().catch((error: Error) => error.name === "NotAllowedError" && stopped());
}

/** The clip, over and over and without sound; once only, and when asked, for whoever wants less motion. */
export function Player({ task, ahead, label, ready, plays, skip, controls }: PlayerProps) {
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const current = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>("loading");

  const play = () => {
    const video = current.current!;
    if (video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) setState("loading");
    start(video, () => setState("stopped"));
  };
  const retry = () => {
    current.current!.load();
    play();
  };
  const stuck = state === "failed" || state === "slow";
  const replay = () => (stuck ? retry() : play());
  controls.current = { replay, skip: () => stuck && skip?.() };

  useLayoutEffect(() => {
    const video = current.current!;
    // A preloaded clip has fired its event before it was shown.
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) ready();
    if (!still) play();
    setState(video.error ? "failed" : still ? "stopped" : "loading");
    return () => video.pause();
  }, [task.task]);

  useEffect(() => {
    if (state !== "loading") return;
    const timer = setTimeout(() => setState("slow"), SKIPPABLE_AFTER);
    return () => clearTimeout(timer);
  }, [state, task.task]);

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
          onPlaying={mine(() => {
            setState("playing");
            plays();
          })}
          onEnded={mine(() => setState("stopped"))}
          onError={mine(() => setState("failed"))}
          onMouseDown={(event) => event.preventDefault()}
          onClick={mine(replay)}
        />
      ))}
      {state === "loading" && <p class="over">Loading the clip…</p>}
      {state === "stopped" && (
        <button type="button" class="over" onClick={replay}>
          ▶ Play the clip
        </button>
      )}
      {stuck && (
        <div class="over">
          <p>{state === "failed" ? "The clip does not load." : "The clip is still loading."}</p>
          <button type="button" onClick={retry}>
            Load again
          </button>
          {skip && (
            <KeyButton class="quiet" cap="X" press={skip}>
              Skip this clip
            </KeyButton>
          )}
        </div>
      )}
    </div>
  );
}
