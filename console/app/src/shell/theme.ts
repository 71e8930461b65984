import { useSyncExternalStore } from "react";

/** What the user wishes: the system's theme, or one of the two. */
export type ThemeWish = "system" | "light" | "dark";

const kept = "orth.theme";
const listeners = new Set<() => void>();

function wish(): ThemeWish {
  try {
    const own = localStorage.getItem(kept);
    if (own === "light" || own === "dark") return own;
  } catch {
    // A browser that keeps nothing follows its system.
  }
  return "system";
}

function apply(): void {
  const own = wish();
  const dark = own === "dark" || (own === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Changes the theme for this browser. */
export function setTheme(next: ThemeWish): void {
  try {
    localStorage.setItem(kept, next);
  } catch {
    document.documentElement.dataset.theme = next === "dark" ? "dark" : "light";
  }
  apply();
}

function subscribe(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  listeners.add(listener);
  system.addEventListener("change", apply);
  return () => {
    listeners.delete(listener);
    system.removeEventListener("change", apply);
  };
}

const shown = () => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

/** The theme on the screen, and the wish behind it. */
export function useTheme(): [shown: "light" | "dark", wish: ThemeWish] {
  return [useSyncExternalStore(subscribe, shown), useSyncExternalStore(subscribe, wish)];
}
