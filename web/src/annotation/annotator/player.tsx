// SPDX-License-Identifier: MIT
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useMedia } from "../../common/theme";
import type { Task } from "../api";
import { urlOf } from "../client";
import { say } from "../strings/strings";
import { KeyButton } from "./key_button";
import { frameLength, Playback, stepped } from "./playback";

type State = "loading" | "slow" | "playing" | "paused" | "stopped" | "failed";

/** Milliseconds of loading after which a clip can be skipped. */
const SKIPPABLE_AFTER = 10_000;

/** What the keys of the player do. */
export interface Controls {
  /** Pauses the clip, or continues. */
  pause: () => void;
  /** Plays the clip from its beginning. */
  replay: () => void;
  /** Shows the previous frame, and pauses. */
  stepBack: () => void;
  /** Shows the next frame, and pauses. */
  step: () => void;
  /** Half or full speed, for this and the next clips. */
  slow: () => void;
  /** The clip in the whole window, or beside the verbs. */
  enlarge: () => void;
  /** Skips a clip that does not load; has no effect otherwise. */
  skip: () => void;
}

/** Before a player is shown. */
export const NO_CONTROLS: Controls = {
  pause: () => {},
  replay: () => {},
  stepBack: () => {},
  step: () => {},
  slow: () => {},
  enlarge: () => {},
  skip: () => {},
};

interface PlayerProps {
  /** "Clip 13". */
  title: string;
  task: Task;
  /** The next clip, preloaded. */
  ahead?: Task;
  /** Called when the first frame is shown. */
  ready: () => void;
  /** Called when the clip starts to play. */
  plays: () => void;
  /** Called when the person skips a clip that does not load; undefined if skipping is not possible. */
  skip?: () => void;
  large: boolean;
  setLarge: (large: boolean) => void;
  controls: { current: Controls };
}

/** Browsers may refuse, to save power for one; then the person starts it. Being interrupted is no refusal. */
function start(video: HTMLVideoElement, stopped: () => void): void {
  video.play().catch((error: Error) => error.name === "NotAllowedError" && stopped());
}

/** The clip, over and over and without sound; once only, and when asked, for whoever wants less motion. */
export function Player({ title, task, ahead, ready, plays, skip, large, setLarge, controls }: PlayerProps) {
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const current = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>("loading");
  const [slow, setSlow] = useState(false);

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
  const replay = () => {
    if (stuck) return retry();
    current.current!.currentTime = 0;
    play();
  };
  const pause = () => {
    if (stuck) return retry();
    if (current.current!.paused) play();
    else if (state === "playing") current.current!.pause();
  };
  const moved = () =>
    setState((before) => (before === "stopped" || before === "loading" ? "paused" : before));
  const step = (direction: 1 | -1) => {
    const video = current.current!;
    if (stuck || !(video.duration > 0)) return;
    video.pause();
    moved();
    video.currentTime = stepped(video.currentTime, direction, frameLength(video), video.duration);
  };
  controls.current = {
    pause,
    replay,
    stepBack: () => step(-1),
    step: () => step(1),
    slow: () => setSlow(!slow),
    enlarge: () => setLarge(!large),
    skip: () => stuck && skip?.(),
  };

  useLayoutEffect(() => {
    const video = current.current!;
    // A preloaded clip has fired its event before it was shown.
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) ready();
    if (!still) play();
    setState(video.error ? "failed" : still ? "stopped" : "loading");
    return () => video.pause();
  }, [task.task]);

  useLayoutEffect(() => {
    // load() sets the speed to the default.
    current.current!.defaultPlaybackRate = current.current!.playbackRate = slow ? 0.5 : 1;
  }, [task.task, slow]);

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
    <div class={large ? "player large" : "player"}>
      <div class="picture">
        {clips.map((clip) => (
          <video
            key={clip.task}
            ref={clip === task ? current : undefined}
            class={clip === task ? "clip" : "clip ahead"}
            src={urlOf(clip.video)}
            aria-label={clip === task ? say("player.label", { clip: title }) : undefined}
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
            onPause={mine(() => setState((before) => (before === "playing" ? "paused" : before)))}
            onEnded={mine(() => setState("stopped"))}
            onError={mine(() => setState("failed"))}
            onMouseDown={(event) => event.preventDefault()}
            onClick={mine(pause)}
          />
        ))}
        {state === "loading" && <p class="over">{say("player.loading")}</p>}
        {state === "stopped" && (
          <button type="button" class="over" onClick={replay}>
            ▶ {say("player.start")}
          </button>
        )}
        {stuck && (
          <div class="over">
            <p>{say(state === "failed" ? "player.failed" : "player.slow")}</p>
            <button type="button" onClick={retry}>
              {say("player.reload")}
            </button>
            {skip && (
              <KeyButton class="quiet" cap="X" press={skip}>
                {say("player.skip")}
              </KeyButton>
            )}
          </div>
        )}
      </div>
      <Playback
        key={task.task}
        title={title}
        video={current}
        playing={state === "playing"}
        moved={moved}
        stuck={stuck}
        slow={slow}
        large={large}
        controls={controls.current}
      />
    </div>
  );
}
