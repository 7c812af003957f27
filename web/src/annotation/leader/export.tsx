// SPDX-License-Identifier: MIT
import { useState } from "preact/hooks";

import { urlOf } from "../client";
import { Field } from "./form";

interface Format {
  format: string;
  title: string;
  note: string;
  /** Whether the labels depend on the rule. */
  ruled: boolean;
  /** Whether it has the paths of videos. */
  videos: boolean;
}

const FORMATS: Format[] = [
  {
    format: "dataset",
    title: "Data set",
    note: "With the annotated test split, as .tar.gz; without feature files, which ‘manyverbs annotate export’ adds on the server.",
    ruled: true,
    videos: false,
  },
  {
    format: "spmv",
    title: "Labels as CSV",
    note: "In the format of EPIC-Kitchens-100-SPMV.",
    ruled: true,
    videos: false,
  },
  {
    format: "posteriors",
    title: "Probabilities as CSV",
    note: "The probability of each verb by the model of annotators.",
    ruled: false,
    videos: false,
  },
  {
    format: "jsonl",
    title: "All answers",
    note: "One JSON object per line, including corrected answers, and your decisions.",
    ruled: false,
    videos: false,
  },
  {
    format: "label-studio",
    title: "Label Studio",
    note: "Tasks with one annotation per person; yours are ground truth.",
    ruled: false,
    videos: true,
  },
  {
    format: "cvat",
    title: "CVAT",
    note: "One task per clip, as .tar.gz, with the labels as tags of the first frame.",
    ruled: true,
    videos: false,
  },
];

/** Downloads of the result in every format. */
export function ExportView() {
  const [pseudonyms, setPseudonyms] = useState(true);
  const [model, setModel] = useState(false);
  const [videos, setVideos] = useState("");
  const address = ({ format, ruled, videos: hasVideos }: Format) => {
    const query = new URLSearchParams({ format });
    if (pseudonyms) query.set("pseudonyms", "1");
    if (ruled && model) query.set("rule", "model");
    if (hasVideos && videos.trim()) query.set("videos", videos.trim());
    return urlOf(`/api/leader/export?${query}`);
  };
  return (
    <section class="panel-box settings">
      <h1>Export</h1>
      <label class="check">
        <input
          type="checkbox"
          checked={pseudonyms}
          onChange={(event) => setPseudonyms(event.currentTarget.checked)}
        />
        Pseudonyms instead of names. They are the same in all exports of this project.
      </label>
      <label class="check">
        <input type="checkbox" checked={model} onChange={(event) => setModel(event.currentTarget.checked)} />
        Labels by the model of annotators, instead of the verbs chosen by at least half
      </label>
      <Field
        label="Videos for Label Studio"
        type="text"
        value={videos}
        change={setVideos}
        note="What to write before clips/1.mp4: a URL, or /data/local-files/?d=project/ for its local files."
      />
      <ul class="exports">
        {FORMATS.map((each) => (
          <li key={each.format}>
            <a class="button" href={address(each)} download>
              {each.title}
            </a>
            <span class="note">{each.note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
