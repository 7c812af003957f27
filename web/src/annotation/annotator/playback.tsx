// SPDX-License-Identifier: MIT
import { useEffect, useRef } from "preact/hooks";

import { say } from "../strings/strings";
import { KeyButton } from "./key_button";
import type { Controls } from "./player";

/** Seconds between frames until they have been measured. */
const USUAL_FRAME = 1 / 25;
/** Frames that are further apart were not shown one after the other. */
const LONGEST_FRAME = 1 / 5;

/** The shortest time between two frames that were shown, by video. Browsers do not say the frame rate. */
const measured = new WeakMap<HTMLVideoElement, number>();

export function frameLength(video: HTMLVideoElement): number {
  return measured.get(video) ?? USUAL_FRAME;
}

/**
 * The time of the next or previous frame: the middle of the time in which it is shown, so that rounding does not
 * matter. At 25 frames per second, from 0.1, in the third frame, to 0.14 or 0.06. Stays within the clip.
 */
export function stepped(time: number, direction: 1 | -1, frame: number, duration: number): number {
  const position = Math.floor(time / frame + 1e-3) + direction;
  const last = Math.max(0, Math.round(duration / frame) - 1);
  return (Math.min(Math.max(position, 0), last) + 0.5) * frame;
}

/** Calls `shown` with the time of each frame that is shown, and measures the time between frames. */
function useFrames(video: { current: HTMLVideoElement | null }, shown: (time: number) => void): void {
  useEffect(() => {
    const element = video.current!;
    if (!("requestVideoFrameCallback" in element)) return; // Firefox before 132
    const times = new Set<number>();
    let handle = 0;
    let running = false;
    const measure = (mediaTime: number) => {
      // Also between frames of different rounds: a busy computer leaves out others in each.
      for (const time of times) {
        const between = Math.abs(mediaTime - time);
        if (between > 1 / 250 && between < (measured.get(element) ?? LONGEST_FRAME))
          measured.set(element, between);
      }
      if (times.size < 1000) times.add(mediaTime);
    };
    const next = (_: number, { mediaTime }: { mediaTime: number }) => {
      // Firefox gives the chosen time, not that of the frame, after a place was chosen; and it counts on in a loop.
      if (running && !element.paused) measure(mediaTime % element.duration);
      running = !element.paused;
      shown(element.currentTime);
      handle = element.requestVideoFrameCallback(next);
    };
    handle = element.requestVideoFrameCallback(next);
    return () => element.cancelVideoFrameCallback(handle);
  }, []);
}

interface PlaybackProps {
  title: string;
  video: { current: HTMLVideoElement | null };
  playing: boolean;
  /** Called when the person chooses a place in the clip. */
  moved: () => void;
  /** The clip does not load. */
  stuck: boolean;
  slow: boolean;
  large: boolean;
  controls: Controls;
}

/** Where the clip is, and the buttons to pause, to step and to look closely. */
export function Playback({ title, video, playing, moved, stuck, slow, large, controls }: PlaybackProps) {
  const slider = useRef<HTMLInputElement>(null);
  useFrames(video, (time) => {
    const { duration } = video.current!;
    if (!(duration > 0)) return;
    slider.current!.value = String(time / duration);
    slider.current!.dataset.frame = frameLength(video.current!).toFixed(3);
    slider.current!.ariaValueText = `${Math.round((100 * time) / duration)} %`;
  });
  const seek = () => {
    const element = video.current!;
    if (stuck || !(element.duration > 0)) return;
    element.pause();
    moved();
    element.currentTime = Number(slider.current!.value) * element.duration;
  };
  return (
    <div class="playback">
      <input
        ref={slider}
        type="range"
        min="0"
        max="1"
        step="any"
        defaultValue="0"
        aria-label={say("player.position")}
        onInput={seek}
      />
      <div class="buttons">
        <KeyButton
          class="quiet"
          cap={say("key.space")}
          shortcut="Space"
          icon={playing ? "❚❚" : "▶"}
          press={controls.pause}
        >
          {say(playing ? "player.pause" : "player.play")}
        </KeyButton>
        <KeyButton class="quiet" cap="R" icon="↺" press={controls.replay}>
          {say("player.replay")}
        </KeyButton>
        <KeyButton class="quiet" cap="←" shortcut="ArrowLeft" icon="◀|" press={controls.stepBack}>
          {say("player.frame_back")}
        </KeyButton>
        <KeyButton class="quiet" cap="→" shortcut="ArrowRight" icon="|▶" press={controls.step}>
          {say("player.frame")}
        </KeyButton>
        <KeyButton class="quiet" cap="H" icon="½×" pressed={slow} press={controls.slow}>
          {say("player.half_speed")}
        </KeyButton>
        <KeyButton class="quiet" cap="F" icon="⤢" pressed={large} press={controls.enlarge}>
          {say("player.enlarge")}
        </KeyButton>
        <h1>{title}</h1>
      </div>
    </div>
  );
}
