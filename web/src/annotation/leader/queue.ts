// SPDX-License-Identifier: MIT
//
// The disputes in the order in which the leader decides them, one after the other.
import type { ClipPage } from "../api";
import { get } from "../client";

const AT_ONCE = 100;

let queue: number[] = [];

/**
 * The dispute after a clip (step 1) or before it (step -1); undefined if there is none. The order stays the same
 * until its end, so that no clip is skipped while answers arrive.
 */
export async function neighbour(task: number, step: 1 | -1): Promise<number | undefined> {
  const at = queue.indexOf(task);
  if (at >= 0 && queue[at + step] !== undefined) return queue[at + step];
  if (at >= 0 && step < 0) return undefined;
  const { clips } = await get<ClipPage>(`/api/leader/disputes?from=0&count=${AT_ONCE}`);
  const open = clips.map((clip) => clip.task);
  // The clip stays in the queue, to go back to it.
  queue = open.includes(task) ? open : [task, ...open];
  return queue[queue.indexOf(task) + step];
}
