import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** The times until now that figures can be shown of. */
export const spans = ["1h", "24h", "7d", "30d"] as const;
/** The days, weeks and months. */
export const days = ["today", "yesterday", "this_week", "last_week", "this_month", "last_month"] as const;
export type Range = (typeof spans)[number] | (typeof days)[number];

/** The first page: what goes on. */
export const dashboardRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/",
    validateSearch: (raw: Record<string, unknown>): { range?: Range; group?: string } => ({
      range: oneOf<Range>(raw.range, [...spans, ...days]),
      group: text(raw.group),
    }),
    component: lazyRouteComponent(() => import("./DashboardPage"), "DashboardPage"),
  }),
] as const;
