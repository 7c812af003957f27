// SPDX-License-Identifier: MIT
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";

import { nameRoom, plot, type Draw } from "../common/chart";
import { Button, Select } from "../common/choices";
import type { Table } from "../common/csv";
import { Figure } from "../common/figure";
import { percent, shortened } from "../common/format";
import { Name } from "../common/name";
import type { PseudoLabelledClip, PseudoLabels } from "./data";
import { ClipVideo } from "./video";

type Vote = PseudoLabelledClip["votes"][number];

/** The relation of a class to the clip, for the axis of the chart. */
function standing(clip: PseudoLabelledClip, vote: Vote): string {
  if (vote.class === clip.label) return "own label";
  if (!vote.suggested) return "not suggested";
  if (clip.truth === null) return "suggested";
  return clip.truth.includes(vote.class) ? "suggested ✓ correct" : "suggested ✗ wrong";
}

function drawing(clip: PseudoLabelledClip, settings: PseudoLabels): Draw {
  const votes = clip.votes.map((vote, position) => ({ ...vote, position }));
  return (width, palette) => {
    const narrow = width < 500;
    const room = nameRoom(
      votes.map((vote) => vote.class),
      width,
    );
    const fill = (vote: Vote) =>
      vote.class === clip.label ? palette.muted : vote.suggested ? palette.series[0]! : palette.surface;
    const stroke = (vote: Vote) => (vote.class === clip.label ? palette.muted : palette.series[0]!);
    return plot(
      {
        width,
        height: 28 * votes.length + 76,
        marginLeft: room.margin,
        marginRight: narrow ? 12 : 150,
        marginTop: 30,
        marginBottom: 43,
        x: {
          domain: [0, Math.max(...votes.map((vote) => vote.share), settings.tau) * 1.12],
          label: "Share of the neighbours, %",
          grid: true,
          ticks: 4,
          tickFormat: (share: number) => percent(share, 0),
        },
        y: {
          type: "band",
          domain: votes.map((vote) => vote.position),
          label: null,
          tickSize: 0,
          padding: 0.25,
          tickFormat: (position: number) => shortened(votes[position]?.class ?? "", room.characters),
        },
        marks: [
          Plot.barX(votes, { x: "share", y: "position", fill, stroke, strokeWidth: 1.5 }),
          Plot.ruleX([settings.tau], { stroke: palette.ink, strokeDasharray: "4 3" }),
          Plot.text([settings.tau], {
            x: (tau) => tau,
            frameAnchor: "top",
            dy: -18,
            text: (tau) => `τ = ${tau}`,
            fill: palette.ink,
          }),
          narrow
            ? null
            : Plot.text(votes, {
                x: "share",
                y: "position",
                dx: 8,
                textAnchor: "start",
                fill: palette.ink,
                stroke: palette.surface,
                strokeWidth: 5,
                text: (vote) => `${vote.votes} · ${standing(clip, vote)}`,
              }),
        ],
      },
      palette,
      `Votes for ${clip.clip}: ` +
        votes.map((vote) => `${vote.class} ${vote.votes}, ${standing(clip, vote)}`).join("; "),
    );
  };
}

function Neighbours({ clip, settings }: { clip: PseudoLabelledClip; settings: PseudoLabels }) {
  const suggested = new Set(clip.votes.filter((vote) => vote.suggested).map((vote) => vote.class));
  return (
    <ol class="neighbours" aria-label={`The ${settings.k} nearest neighbours of ${clip.clip}`}>
      {clip.neighbours.map((neighbour, at) => (
        <li key={at} class={suggested.has(neighbour.label) ? "suggests" : ""}>
          <strong>
            <Name text={neighbour.label} />
          </strong>
          <span class="note">
            <Name text={neighbour.clip} />
          </span>
          <span class="note">distance {neighbour.distance.toPrecision(3)}</span>
          <ClipVideo video={neighbour.video} label={`Neighbour ${neighbour.clip}`} />
        </li>
      ))}
    </ol>
  );
}

function voteTable(settings: PseudoLabels): Table {
  return {
    columns: ["clip", "own_label", "class", "votes", "share", "suggested", "true"],
    rows: settings.clips.flatMap((clip) =>
      clip.votes.map((vote) => [
        clip.clip,
        clip.label,
        vote.class,
        vote.votes,
        vote.share,
        vote.suggested,
        clip.truth === null ? null : clip.truth.includes(vote.class),
      ]),
    ),
  };
}

function quality({ precision, recall }: PseudoLabels): string {
  if (precision === null && recall === null) return "";
  return ` Compared with the ground truth: precision ${percent(precision)} %, recall of the hidden labels ${percent(recall)} %.`;
}

function ClipFacts({ clip }: { clip: PseudoLabelledClip }) {
  return (
    <div class="clip-facts">
      <p>
        Clip <Name text={clip.clip} />, labelled{" "}
        <strong>
          <Name text={clip.label} />
        </strong>
        {clip.truth !== null && (
          <>
            ; ground truth:{" "}
            {clip.truth.map((name, at) => (
              <span key={at}>
                {at > 0 && ", "}
                <Name text={name} />
              </span>
            ))}
          </>
        )}
      </p>
      <ClipVideo video={clip.video} label={`Clip ${clip.clip}`} />
    </div>
  );
}

/** The votes and the neighbours of one clip at a time. */
export function PseudoLabelBrowser({
  id,
  source,
  settings,
}: {
  id: string;
  source: string;
  settings: PseudoLabels;
}) {
  const [position, setPosition] = useState(0);
  const clip = settings.clips[position]!;
  const last = settings.clips.length - 1;
  const panels = useMemo(
    () => (clip.votes.length ? [{ key: clip.clip, title: "", draw: drawing(clip, settings) }] : []),
    [position],
  );
  return (
    <Figure
      id={id}
      title={`Pseudo-labels: ${shortened(settings.name, 40)}`}
      source={source}
      panels={panels}
      how={`The ${settings.k} nearest training clips (space ${settings.space}, ${settings.metric}) vote with their labels. Classes with a
        share above τ = ${settings.tau} are suggested for the clip (filled bars), the others are not (hollow bars).`}
      summary={`${clip.votes.filter((vote) => vote.suggested).length} classes are suggested for this clip.${quality(settings)}`}
      controls={
        <>
          <Select
            label="Clip"
            value={String(position)}
            choose={(value) => setPosition(Number(value))}
            options={settings.clips.map((each, at): [string, string] => [
              String(at),
              shortened(`${each.clip} (${each.label})`, 50),
            ])}
          />
          <Button press={() => setPosition(position - 1)} disabled={position === 0}>
            Previous
          </Button>
          <Button press={() => setPosition(position + 1)} disabled={position === last}>
            Next
          </Button>
        </>
      }
      lead={<ClipFacts clip={clip} />}
      table={() => voteTable(settings)}
    >
      <Neighbours clip={clip} settings={settings} />
    </Figure>
  );
}
