import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import { isTyping } from "@/ui/typing";
import { navPages } from "./nav";
import { setTheme } from "./theme";

/** How long the second key of two may take, in ms. */
const patience = 1_200;

export type Sheet = "palette" | "shortcuts";

/**
 * The keys that work on all pages. `open` shows one of the sheets, and `sheet` is the one that is shown. While the
 * code of the palette is on its way nothing else acts; what is typed until then is what this returns.
 */
export function useShortcuts(sheet: Sheet | null, open: (sheet: Sheet) => void): () => string {
  const navigate = useNavigate();
  const pressed = useRef({ key: "", at: 0 });
  const early = useRef("");
  useEffect(() => {
    if (!sheet) early.current = "";
  }, [sheet]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("[role=dialog]")) return;
      if (sheet) {
        event.preventDefault();
        if (event.key.length === 1) early.current += event.key;
        return;
      }
      const before = event.timeStamp - pressed.current.at < patience ? pressed.current.key : "";
      pressed.current = { key: event.key, at: event.timeStamp };
      const place = before === "g" ? navPages.find((one) => one.key === event.key) : undefined;
      if (place) {
        pressed.current.key = "";
        event.preventDefault();
        void navigate({ to: place.to });
        return;
      }
      const search = document.querySelector<HTMLElement>("[data-search] input, input[data-search]");
      const acts: Record<string, (() => void) | undefined> = {
        "?": () => open("shortcuts"),
        "/": search ? () => search.focus() : () => open("palette"),
        n: () => void navigate({ to: "/jobs/new" } as never),
        t: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      };
      const act = before === "g" ? undefined : acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, open, sheet]);
  return useCallback(() => early.current, []);
}
