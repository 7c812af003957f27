// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";

import type { Overview } from "../api";
import { get, Refused } from "../client";

const EVERY = 3_000;

export interface Live {
  overview: Overview | null;
  /** Why the figures are not up to date; empty when they are. */
  lost: string;
  /** Asks at once. */
  refresh: () => void;
}

/** The overview, asked for again and again while the page is in sight. */
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
      // A reply that a later one overtook would turn the figures back.
      const mine = ++latest;
      try {
        const found = await get<Overview>("/api/leader/overview");
        if (mine !== latest) return;
        at = new Date();
        setOverview(found);
        setLost("");
      } catch (error) {
        if (mine !== latest) return;
        if (error instanceof Refused && error.forbidden) return signedOut();
        setLost(`The server does not answer. The figures are from ${at.toLocaleTimeString("en-GB")}.`);
      }
      timer = setTimeout(() => void look(), EVERY);
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
