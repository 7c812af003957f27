// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

interface Example {
  seen: string;
  verbs: [string, boolean][];
  why: string;
}

const EXAMPLES: Example[] = [
  {
    seen: "A hand draws a peeler along a carrot; strips of skin fall into the sink.",
    verbs: [
      ["peel", true],
      ["remove", true],
      ["cut", true],
      ["wash", false],
    ],
    why: "Choose all words for the same action: peeling also removes the skin and cuts it off.",
  },
  {
    seen: "Somebody opens the tap and holds a cup under the water.",
    verbs: [
      ["turn on", true],
      ["wash", true],
      ["rinse", true],
      ["dry", false],
    ],
    why: "Choose everything that happens in the clip, also one after the other, but not what you only expect to follow.",
  },
  {
    seen: "A hand moves behind a cupboard door. It may put something in, or take it out.",
    verbs: [
      ["put", true],
      ["take", false],
      ["Not confident", true],
    ],
    why: "Choose what you think is most likely, and mark the answer as not confident.",
  },
  {
    seen: "An empty worktop; the camera turns away.",
    verbs: [["Nothing happens here", true]],
    why: "There is no action in this clip.",
  },
];

const KEYS: [ComponentChildren, string][] = [
  [
    <>
      <kbd>1</kbd>–<kbd>9</kbd> <kbd>0</kbd> <kbd>-</kbd>
    </>,
    "select or deselect a verb",
  ],
  [<kbd>N</kbd>, "nothing happens here"],
  [<kbd>U</kbd>, "not confident"],
  [<kbd>Space</kbd>, "pause the clip, or continue"],
  [<kbd>R</kbd>, "play the clip from its beginning"],
  [
    <>
      <kbd>←</kbd> <kbd>→</kbd>
    </>,
    "previous and next frame",
  ],
  [<kbd>H</kbd>, "half speed"],
  [<kbd>F</kbd>, "enlarge the clip"],
  [<kbd>Enter</kbd>, "send the answer"],
  [<kbd>X</kbd>, "skip a clip that does not play"],
  [<kbd>Backspace</kbd>, "go back and correct earlier answers"],
  [<kbd>?</kbd>, "show these instructions"],
];

function ExampleCard({ seen, verbs, why }: Example) {
  return (
    <li class="example">
      <p>{seen}</p>
      <ul class="chips" aria-label="What to choose">
        {verbs.map(([verb, fits]) => (
          <li key={verb} class={fits ? "chip fits" : "chip"}>
            <span aria-hidden="true">{fits ? "✓" : "✗"} </span>
            <span class="hidden">{fits ? "choose " : "do not choose "}</span>
            {verb}
          </li>
        ))}
      </ul>
      <p class="note">{why}</p>
    </li>
  );
}

/** The instructions, shown before the first clip and on request. */
export function Instructions() {
  return (
    <div class="instructions">
      <ol class="steps">
        <li>
          <strong>Watch.</strong> Each clip shows a short action. It plays in a loop, without sound.
        </li>
        <li>
          <strong>Choose every verb that applies.</strong> Often two or more verbs apply. Other people answer
          the same clips independently; there is no single right answer.
        </li>
        <li>
          <strong>Send.</strong> Select “Not confident” if you had to guess, and “Nothing happens here” if
          there is no action.
        </li>
      </ol>
      <h3>Examples</h3>
      <ul class="examples">
        {EXAMPLES.map((example) => (
          <ExampleCard key={example.seen} {...example} />
        ))}
      </ul>
      <div class="for-keys">
        <h3>Keys</h3>
        <dl class="keys">
          {KEYS.map(([keys, meaning]) => (
            <div key={meaning}>
              <dt>{keys}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p class="note">
        Every answer is saved when you send it. You can stop at any time and continue later with your personal
        link.
      </p>
    </div>
  );
}
