// SPDX-License-Identifier: MIT
import type { ComponentChildren } from "preact";

import { say } from "../strings/strings";

interface HeaderProps {
  project: string;
  /** Who is signed in, with the button to sign out. */
  account: ComponentChildren;
  help?: () => void;
  children?: ComponentChildren;
}

/** The page header: project, progress, the person's name and the help button. */
export function Header({ project, account, help, children }: HeaderProps) {
  return (
    <header class="top">
      <bdi class="project" title={project}>
        {project}
      </bdi>
      {children}
      {account}
      {help && (
        <button type="button" class="quiet" aria-keyshortcuts="?" onClick={help}>
          {say("help.button")}
        </button>
      )}
    </header>
  );
}
