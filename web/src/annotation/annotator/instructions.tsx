// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

import { say } from "../strings/strings";
import { useGuide } from "./guide";
import { Markdown } from "./markdown";

function keys(): [ComponentChildren, string][] {
  return [
    [
      <>
        <kbd>1</kbd>–<kbd>9</kbd> <kbd>0</kbd> <kbd>-</kbd>
      </>,
      say("keys.verb"),
    ],
    [<kbd>N</kbd>, say("keys.nothing")],
    [<kbd>O</kbd>, say("keys.other")],
    [<kbd>U</kbd>, say("keys.unsure")],
    [<kbd>M</kbd>, say("keys.flag")],
    [<kbd>C</kbd>, say("keys.comment")],
    [<kbd>{say("key.space")}</kbd>, say("keys.pause")],
    [<kbd>R</kbd>, say("keys.replay")],
    [
      <>
        <kbd>←</kbd> <kbd>→</kbd>
      </>,
      say("keys.frames"),
    ],
    [<kbd>H</kbd>, say("keys.half_speed")],
    [<kbd>F</kbd>, say("keys.enlarge")],
    [<kbd>{say("key.enter")}</kbd>, say("keys.send")],
    [<kbd>X</kbd>, say("keys.skip")],
    [<kbd>{say("key.backspace")}</kbd>, say("keys.back")],
    [<kbd>?</kbd>, say("keys.help")],
  ];
}

/** The instructions of the leader and the keys, shown before the first clip and on request. */
export function Instructions() {
  const { instructions } = useGuide();
  return (
    <div class="instructions">
      <Markdown text={instructions} />
      <div class="for-keys">
        <h3>{say("help.keys")}</h3>
        <dl class="keys">
          {keys().map(([caps, meaning]) => (
            <div key={meaning}>
              <dt>{caps}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p class="note">{say("help.saved")}</p>
    </div>
  );
}
