// SPDX-License-Identifier: MIT
import { createContext, type ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";

import { dark, light, type Palette } from "./palette";

type Choice = "system" | "light" | "dark";
const CHOICES: Choice[] = ["system", "light", "dark"];
const ENGLISH: Record<Choice, string> = { system: "System", light: "Light", dark: "Dark" };
const STORED = "manyverbs-theme";

interface Theme {
  choice: Choice;
  choose: (choice: Choice) => void;
  palette: Palette;
}

const ThemeContext = createContext<Theme>({ choice: "system", choose: () => {}, palette: light });

/** The current colours. Components that use them are drawn again when they change. */
export function usePalette(): Palette {
  return useContext(ThemeContext).palette;
}

// Browsers may forbid storage for pages from disk; then the choice is lost when the page is closed.
function storedChoice(): Choice {
  try {
    const stored = localStorage.getItem(STORED);
    return CHOICES.find((choice) => choice === stored) ?? "system";
  } catch {
    return "system";
  }
}

function store(choice: Choice): void {
  try {
    localStorage.setItem(STORED, choice);
  } catch {
    // See storedChoice.
  }
}

/** Whether a media query matches; the component is drawn again when that changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const media = matchMedia(query);
    const update = () => setMatches(media.matches);
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, [query]);
  return matches;
}

/**
 * Provides the colours to its children, as a palette and as CSS variables. Printing always uses the light
 * theme.
 */
export function ThemeProvider({ children }: { children: ComponentChildren }) {
  const [choice, setChoice] = useState(storedChoice);
  const systemDark = useMedia("(prefers-color-scheme: dark)");
  const printing = useMedia("print");
  const isDark = !printing && (choice === "dark" || (choice === "system" && systemDark));
  const palette = isDark ? dark : light;
  useLayoutEffect(() => {
    const root = document.documentElement;
    root.dataset.theme = isDark ? "dark" : "light";
    for (const [name, value] of Object.entries(palette))
      if (typeof value === "string") root.style.setProperty(`--${name}`, value);
  }, [palette]);
  const choose = (next: Choice) => {
    store(next);
    setChoice(next);
  };
  return <ThemeContext.Provider value={{ choice, choose, palette }}>{children}</ThemeContext.Provider>;
}

export function ThemeChoice({ title = "Colours", names = ENGLISH }) {
  const { choice, choose } = useContext(ThemeContext);
  return (
    <label class="field theme-choice">
      {title}
      <select value={choice} onChange={(event) => choose(event.currentTarget.value as Choice)}>
        {CHOICES.map((value) => (
          <option key={value} value={value}>
            {names[value]}
          </option>
        ))}
      </select>
    </label>
  );
}
