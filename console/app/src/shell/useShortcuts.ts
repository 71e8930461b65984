import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { allPlaces } from "./nav";
import { setTheme } from "./theme";

/** How long the second key of two may take, in ms. */
const patience = 1_200;

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("[role=menu]") !== null);

/** The keys that work on all pages. `open` shows one of the sheets. */
export function useShortcuts(open: (sheet: "palette" | "shortcuts") => void): void {
  const navigate = useNavigate();
  const pressed = useRef({ key: "", at: 0 });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target)) return;
      if (document.querySelector("[role=dialog]")) return;
      const before = event.timeStamp - pressed.current.at < patience ? pressed.current.key : "";
      pressed.current = { key: event.key, at: event.timeStamp };
      const place = before === "g" ? allPlaces.find((one) => one.key === event.key) : undefined;
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
  }, [navigate, open]);
}
