// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";

import type { Overview } from "../api";
import { get, HttpError } from "../client";

const POLL_INTERVAL = 3_000;

export interface Live {
  overview: Overview | null;
  /** Why the values are not up to date; empty if they are. */
  lost: string;
  /** Requests the overview at once. */
  refresh: () => void;
}

/** The overview, requested repeatedly while the page is visible. */
export function useOverview(signedOut: () => void): Live {
  const [overview, setOverview] = useState<Overview | null>(null);
  const [lost, setLost] = useState("");
  const refresh = useRef(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let latest = 0;
    let at = new Date();
    const look = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      // An outdated reply would overwrite newer values.
      const mine = ++latest;
      try {
        const found = await get<Overview>("/api/leader/overview");
        if (mine !== latest) return;
        at = new Date();
        setOverview(found);
        setLost("");
      } catch (error) {
        if (mine !== latest) return;
        if (error instanceof HttpError && error.forbidden) return signedOut();
        setLost(`The server is not reachable. The values are from ${at.toLocaleTimeString("en-GB")}.`);
      }
      timer = setTimeout(() => void look(), POLL_INTERVAL);
    };
    refresh.current = () => void look();
    document.addEventListener("visibilitychange", refresh.current);
    void look();
    return () => {
      latest++;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh.current);
    };
  }, []);
  return { overview, lost, refresh: () => refresh.current() };
}
