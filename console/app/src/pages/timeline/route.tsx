import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** What the timeline has in the address bar. */
export type TimelineSearch = { from?: string; hours?: "6" | "12" | "48"; group?: string; by?: "jobs" };

/** The page of what fires when. */
export const timelineRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/timeline",
    validateSearch: (raw: Record<string, unknown>): TimelineSearch => ({
      from: text(raw.from),
      hours: oneOf(raw.hours, ["6", "12", "48"]),
      group: text(raw.group),
      by: oneOf(raw.by, ["jobs"]),
    }),
    component: lazyRouteComponent(() => import("./TimelinePage"), "TimelinePage"),
  }),
] as const;
