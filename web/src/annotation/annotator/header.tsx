// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

import { say } from "../strings/strings";

/** The page header: project, progress and the help button. */
export function Header({
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
          {say("help.button")}
        </button>
      )}
    </header>
  );
}
