import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { list, oneOf, text } from "@/shell/search";

/** What the list of dead letters has in the address bar. */
export type LetterSearch = {
  status?: "redriven" | "closed" | "all";
  job?: string;
  group?: string;
  state?: "failed" | "timed_out" | "lost";
  since?: string;
  until?: string;
  text?: string;
  cols?: string[];
};

const read = (raw: Record<string, unknown>): LetterSearch => ({
  status: oneOf(raw.status, ["redriven", "closed", "all"]),
  job: text(raw.job),
  group: text(raw.group),
  state: oneOf(raw.state, ["failed", "timed_out", "lost"]),
  since: text(raw.since),
  until: text(raw.until),
  text: text(raw.text),
  cols: list(raw.cols),
});

/** The pages of dead letters. */
export const deadLettersRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/dead-letters",
    validateSearch: read,
    component: lazyRouteComponent(() => import("./DeadLettersPage"), "DeadLettersPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/dead-letters/$id",
    component: lazyRouteComponent(() => import("./DeadLetterPage"), "DeadLetterPage"),
  }),
] as const;
