// SPDX-License-Identifier: MIT
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Name } from "../../common/name";
import type { ClipDetails, ReviewedClip } from "../api";
import { VERB_KEYS } from "../annotator/keys";
import { get, post, problem } from "../client";
import { Names } from "./names";
import { neighbour } from "./queue";
import { useShortcuts } from "./shortcuts";
import { ClipVideo, Outcome, Remarks } from "./votes";

/** A verb to choose. */
interface Row {
  class: number;
  name: string;
  chosen_by: string[];
}

/** The candidates, then other verbs that are chosen. */
function rowsOf(clip: ClipDetails, chosen: Set<number>): Row[] {
  const candidates = clip.candidates.map((each) => each.class);
  const others = [...chosen].filter((each) => !candidates.includes(each));
  return [
    ...clip.candidates,
    ...others.map((each) => ({ class: each, name: clip.classes[each]!, chosen_by: [] })),
  ];
}

/** The labels as they are now: decided, or the result of the answers. */
function labelsOf({ decision, candidates }: ReviewedClip): Set<number> {
  if (decision) return new Set(decision.labels.map((label) => label.class));
  return new Set(candidates.filter(({ kept }) => kept).map((candidate) => candidate.class));
}

function Verbs({
  clip,
  chosen,
  toggle,
}: {
  clip: ClipDetails;
  chosen: Set<number>;
  toggle: (verb: number) => void;
}) {
  const id = useId();
  const [other, setOther] = useState("");
  const add = (text: string) => {
    setOther(text);
    const found = clip.classes.indexOf(text.trim());
    if (found < 0) return;
    if (!chosen.has(found)) toggle(found);
    setOther("");
  };
  return (
    <>
      <ul class="verdict" aria-label="Verbs">
        {rowsOf(clip, chosen).map((row, at) => (
          <li key={row.class}>
            <button
              type="button"
              aria-pressed={chosen.has(row.class)}
              aria-keyshortcuts={VERB_KEYS[at]}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => toggle(row.class)}
            >
              <kbd aria-hidden="true">{VERB_KEYS[at] ?? ""}</kbd>
              <bdi>{row.name}</bdi>
              <span class="mark" aria-hidden="true">
                {chosen.has(row.class) ? "✓" : ""}
              </span>
            </button>
            <span>
              {row.name === clip.original && <span class="badge">original</span>}{" "}
              {clip.answers > 0 && (
                <span class="tally">
                  {row.chosen_by.length} of {clip.answers}
                </span>
              )}{" "}
              <Names names={row.chosen_by} />
            </span>
          </li>
        ))}
      </ul>
      {clip.classes.length > clip.candidates.length && (
        <div class="entry">
          <label for={id}>Another verb</label>
          <input
            id={id}
            type="text"
            list={`${id}-all`}
            value={other}
            autoComplete="off"
            onInput={(event) => add(event.currentTarget.value)}
          />
          <datalist id={`${id}-all`}>
            {clip.classes.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
      )}
    </>
  );
}

function Decide({ clip, changed }: { clip: ClipDetails; changed: (clip: ReviewedClip) => void }) {
  const [chosen, setChosen] = useState(() => labelsOf(clip));
  const [reason, setReason] = useState(clip.decision?.reason ?? "");
  const [failure, setFailure] = useState("");
  const [state, setState] = useState("");
  const [busy, setBusy] = useState(false);
  const reasonField = useRef<HTMLInputElement>(null);
  const reasonId = useId();
  const edit = () => {
    setState("");
    setFailure("");
  };
  const toggle = (verb: number) => {
    edit();
    const next = new Set(chosen);
    if (!next.delete(verb)) next.add(verb);
    setChosen(next);
  };
  const attempt = async (what: string, ask: () => Promise<ReviewedClip>) => {
    if (busy) return;
    setBusy(true);
    edit();
    try {
      const stored = await ask();
      changed(stored);
      setChosen(labelsOf(stored));
      setReason(stored.decision?.reason ?? "");
      setState(what);
    } catch (error) {
      setFailure(problem(error));
    }
    setBusy(false);
  };
  const { task } = clip;
  const why = reason.trim();
  const settle = () => {
    if (!chosen.size) return setFailure("Choose a verb, or leave the clip out.");
    void attempt("✓ Saved", () =>
      post<ReviewedClip>("/api/leader/decisions", { task, labels: [...chosen], reason: why }),
    );
  };
  const leaveOut = () => {
    if (!why) {
      setFailure("Give a reason why the clip is left out.");
      reasonField.current!.focus();
      return;
    }
    void attempt("✓ Left out", () =>
      post<ReviewedClip>("/api/leader/decisions", { task, labels: [], reason: why }),
    );
  };
  const undo = () =>
    clip.decision &&
    void attempt("✓ Undone: the answers count again", () =>
      post<ReviewedClip>("/api/leader/decisions/undo", { task }),
    );
  const go = async (step: 1 | -1) => {
    try {
      const next = await neighbour(task, step);
      location.hash = next === undefined ? "#disputes" : `#clip=${next}`;
    } catch (error) {
      setFailure(problem(error));
    }
  };
  const rows = rowsOf(clip, chosen);
  useShortcuts({
    ...Object.fromEntries(
      VERB_KEYS.map((key, at) => [key, () => rows[at] && toggle(rows[at].class)] as const),
    ),
    // Enter saves; a second Enter shows the next dispute.
    Enter: () => (state ? void go(1) : settle()),
    l: leaveOut,
    r: () => reasonField.current!.focus(),
    z: () => void undo(),
    n: () => void go(1),
    p: () => void go(-1),
  });
  return (
    <>
      <Verbs clip={clip} chosen={chosen} toggle={toggle} />
      <div class="entry">
        <label for={reasonId}>
          Reason <kbd aria-hidden="true">R</kbd>
        </label>
        <input
          ref={reasonField}
          id={reasonId}
          type="text"
          maxLength={300}
          value={reason}
          aria-keyshortcuts="R"
          aria-describedby={`${reasonId}-error`}
          onInput={(event) => {
            edit();
            setReason(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
          }}
        />
        <p class="error" id={`${reasonId}-error`} role="alert">
          {failure}
        </p>
      </div>
      <div class="actions start">
        <button type="button" class="primary" aria-keyshortcuts="Enter" disabled={busy} onClick={settle}>
          Save labels <kbd aria-hidden="true">Enter</kbd>
        </button>
        <button type="button" aria-keyshortcuts="L" disabled={busy} onClick={leaveOut}>
          Leave out <kbd aria-hidden="true">L</kbd>
        </button>
        {clip.decision && (
          <button type="button" aria-keyshortcuts="Z" disabled={busy} onClick={undo}>
            Undo the decision <kbd aria-hidden="true">Z</kbd>
          </button>
        )}
        <button type="button" aria-keyshortcuts="P" onClick={() => void go(-1)}>
          Previous <kbd aria-hidden="true">P</kbd>
        </button>
        <button type="button" aria-keyshortcuts="N" onClick={() => void go(1)}>
          Next dispute <kbd aria-hidden="true">N</kbd>
        </button>
      </div>
      <p role="status">{state && `${state}. Enter: next dispute`}</p>
    </>
  );
}

/** One clip: who said what, and the leader's decision. */
export function ClipPage({ task, refresh }: { task: number; refresh: () => void }) {
  const [clip, setClip] = useState<ClipDetails | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    get<ClipDetails>(`/api/leader/clip?task=${task}`).then(setClip, (error: unknown) =>
      setFailure(problem(error)),
    );
  }, []);
  if (!clip)
    return (
      <p class={failure ? "error" : "note"} role="alert">
        {failure || "One moment…"}
      </p>
    );
  return (
    <section class="panel-box dispute decide">
      <div>
        <ClipVideo clip={clip} />
        <p class="note">
          A decision wins over the answers, in every export. The clip is no longer assigned; the answers are
          kept, and count again if you undo it.
        </p>
      </div>
      <div>
        <h1>
          Clip no. {clip.task} <Name text={clip.clip} />
        </h1>
        <Outcome clip={clip} />
        {clip.answers === 0 && <p class="note">No answers yet.</p>}
        <Remarks clip={clip} />
        <Decide
          clip={clip}
          changed={(stored) => {
            setClip({ ...clip, ...stored });
            refresh();
          }}
        />
      </div>
    </section>
  );
}
