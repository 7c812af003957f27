// SPDX-License-Identifier: MIT
import { useEffect, useId, useState } from "preact/hooks";

import { Name } from "../../common/name";
import type { TextFile, TextPreview, Texts } from "../api";
import { Markdown } from "../annotator/markdown";
import { get, post, problem } from "../client";

/** Milliseconds after the last key until a text is checked. */
const CHECK_DELAY = 400;

const TITLES: Record<TextFile["file"], string> = {
  "instructions.md": "Instructions",
  "definitions.csv": "Definitions of verbs",
  "strings.csv": "Texts of the page",
};

const NOTES: Record<TextFile["file"], string> = {
  "instructions.md":
    "Shown before the practice and in the help. Markdown with headings, paragraphs, lists, emphasis, code and links to https://. Empty: the built-in text.",
  "definitions.csv":
    "What the verbs mean, as CSV with the columns class,definition. Not all classes need one.",
  "strings.csv":
    "Replaces texts of the annotator’s page, as CSV with the columns key,text. Names in braces stand for values.",
};

const FIRST_LINES: Partial<Record<TextFile["file"], string>> = {
  "definitions.csv": "class,definition\n",
  "strings.csv": "key,text\n",
};

function Preview({ file, preview }: { file: TextFile["file"]; preview: TextPreview }) {
  if (file === "instructions.md")
    return (
      <div class="guide-text">
        <Markdown text={preview.instructions} />
      </div>
    );
  if (!preview.rows.length) return <p class="note">Nothing yet.</p>;
  return (
    <dl class="text-rows">
      {preview.rows.map(({ name, text, before }) => (
        <div key={name}>
          <dt>
            <Name text={name} />
          </dt>
          <dd>
            <bdi>{text}</bdi>
            {before && (
              <p class="note">
                instead of: <bdi>{before}</bdi>
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Editor({ stored, saved }: { stored: TextFile; saved: (file: TextFile) => void }) {
  const id = useId();
  /** What the editor starts with: a new table has its first line already. */
  const start = stored.text || (FIRST_LINES[stored.file] ?? "");
  const [text, setText] = useState(start);
  const [preview, setPreview] = useState<TextPreview>(stored);
  const [failure, setFailure] = useState(stored.problem);
  const [state, setState] = useState("");
  const { file, hash } = stored;
  const changed = text !== start;
  useEffect(() => {
    if (!changed) return;
    let outdated = false;
    const check = () =>
      post<TextPreview>("/api/leader/texts", { file, text, hash, save: false }).then(
        (reply) => outdated || (setPreview(reply), setFailure("")),
        (error: unknown) => outdated || setFailure(problem(error)),
      );
    const timer = setTimeout(() => void check(), CHECK_DELAY);
    return () => {
      outdated = true;
      clearTimeout(timer);
    };
  }, [text]);
  const save = async () => {
    setState("");
    try {
      const reply = await post<TextFile>("/api/leader/texts", { file, text, hash, save: true });
      saved(reply);
      setPreview(reply);
      setText(reply.text || (FIRST_LINES[file] ?? ""));
      setFailure("");
      setState("✓ Saved. Annotators see it when they load the page again.");
    } catch (error) {
      setFailure(problem(error));
    }
  };
  return (
    <section class="panel-box texts">
      <h2>
        <label for={id}>{TITLES[file]}</label> <span class="note">{file}</span>
      </h2>
      <p class="note" id={`${id}-note`}>
        {NOTES[file]}
      </p>
      <div class="side-by-side">
        <div>
          <textarea
            id={id}
            rows={14}
            spellcheck={file === "instructions.md"}
            value={text}
            aria-invalid={failure ? true : undefined}
            aria-describedby={`${id}-note ${id}-error`}
            onInput={(event) => {
              setState("");
              setText(event.currentTarget.value);
            }}
          />
          <p class="error" id={`${id}-error`} role="alert">
            {failure}
          </p>
          <div class="actions start">
            <button type="button" class="primary" disabled={!changed} onClick={() => void save()}>
              Save {file}
            </button>
            {changed && (
              <button
                type="button"
                onClick={() => {
                  setText(start);
                  setPreview(stored);
                  setFailure(stored.problem);
                }}
              >
                Discard changes
              </button>
            )}
          </div>
          <p role="status">{state}</p>
        </div>
        <div aria-label={`Preview: ${TITLES[file]}`} role="region">
          <Preview file={file} preview={preview} />
        </div>
      </div>
    </section>
  );
}

/** The built-in texts, to take keys from. */
function Keys({ strings }: { strings: Texts["strings"] }) {
  return (
    <details class="panel-box">
      <summary>All keys with their texts</summary>
      <dl class="text-rows">
        {Object.entries(strings).map(([key, text]) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** What annotators read: edit, preview and save, without a restart of the server. */
export function TextsView() {
  const [texts, setTexts] = useState<Texts | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    get<Texts>("/api/leader/texts").then(setTexts, (error: unknown) => setFailure(problem(error)));
  }, []);
  if (!texts)
    return (
      <p class={failure ? "error" : "note"} role="alert">
        {failure || "One moment…"}
      </p>
    );
  const replace = (file: TextFile) =>
    setTexts({ ...texts, files: texts.files.map((each) => (each.file === file.file ? file : each)) });
  return (
    <>
      <h1 class="hidden">Texts</h1>
      {texts.files.map((file) => (
        <Editor key={file.file} stored={file} saved={replace} />
      ))}
      <Keys strings={texts.strings} />
    </>
  );
}
