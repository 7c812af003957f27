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
    why: "Different words for one action all count: whoever peels also removes the skin, and cuts it off.",
  },
  {
    seen: "Somebody opens the tap and holds a cup under the water.",
    verbs: [
      ["turn on", true],
      ["wash", true],
      ["rinse", true],
      ["dry", false],
    ],
    why: "What happens one after the other counts as well. What you only expect to follow does not.",
  },
  {
    seen: "A hand moves behind a cupboard door. It may put something in, or take it out.",
    verbs: [
      ["put", true],
      ["take", false],
      ["Not confident", true],
    ],
    why: "Choose what you believe, and say that you are not confident.",
  },
  {
    seen: "An empty worktop; the camera turns away.",
    verbs: [["Nothing happens here", true]],
    why: "There is no action to name. It is fine to say so.",
  },
];

const KEYS: [ComponentChildren, string][] = [
  [
    <>
      <kbd>1</kbd>–<kbd>9</kbd> <kbd>0</kbd> <kbd>-</kbd>
    </>,
    "choose a verb or take it back",
  ],
  [<kbd>N</kbd>, "nothing happens here"],
  [<kbd>U</kbd>, "not confident"],
  [<kbd>Space</kbd>, "play the clip again"],
  [<kbd>Enter</kbd>, "send the answer"],
  [<kbd>X</kbd>, "skip a clip that does not play"],
  [<kbd>Backspace</kbd>, "go back to mend earlier answers"],
  [<kbd>?</kbd>, "show this again"],
];

function ExampleCard({ seen, verbs, why }: Example) {
  return (
    <li class="example">
      <p>{seen}</p>
      <ul class="chips" aria-label="What to choose">
        {verbs.map(([verb, fits]) => (
          <li key={verb} class={fits ? "chip fits" : "chip"}>
            <span aria-hidden="true">{fits ? "✓" : "✗"} </span>
            <span class="hidden">{fits ? "choose " : "leave "}</span>
            {verb}
          </li>
        ))}
      </ul>
      <p class="note">{why}</p>
    </li>
  );
}

/** What to do and how; shown before the first clip and whenever somebody asks. */
export function Instructions() {
  return (
    <div class="instructions">
      <ol class="steps">
        <li>
          <strong>Watch.</strong> Each clip shows somebody doing something. It plays over and over, without
          sound.
        </li>
        <li>
          <strong>Choose every verb that fits.</strong> Often two, three or more do. Other people see the same
          clips on their own; there is no single right answer.
        </li>
        <li>
          <strong>Send.</strong> Say “Not confident” when you had to guess, and “Nothing happens here” when
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
        Every answer is saved when you send it. You can stop at any time: your personal link brings you back
        to where you were.
      </p>
    </div>
  );
}
