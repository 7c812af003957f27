// SPDX-License-Identifier: MIT
import { useEffect, useState } from "preact/hooks";

/** Whole seconds until a time, in milliseconds since 1970; 0 from then on. */
export function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    if (time <= Date.now()) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [time]);
  return Math.max(0, Math.ceil((time - now) / 1000));
}
