import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** The times that figures can be shown of. */
export const ranges = ["1h", "24h", "7d", "30d"] as const;
export type Range = (typeof ranges)[number];

/** The first page: what goes on. */
export const dashboardRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/",
    validateSearch: (raw: Record<string, unknown>): { range?: Range; group?: string } => ({
      range: oneOf(raw.range, ranges),
      group: text(raw.group),
    }),
    component: lazyRouteComponent(() => import("./DashboardPage"), "DashboardPage"),
  }),
] as const;
