// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

/** The line above everything: whose work it is, how far it is, and the way to the instructions. */
export function Top({
  project,
  help,
  children,
}: {
  project: string;
  help?: () => void;
  children?: ComponentChildren;
}) {
  return (
    <header class="top">
      <bdi class="project" title={project}>
        {project}
      </bdi>
      {children}
      {help && (
        <button type="button" class="quiet" aria-keyshortcuts="?" onClick={help}>
          Help
        </button>
      )}
    </header>
  );
}
