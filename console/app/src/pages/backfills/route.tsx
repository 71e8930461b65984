import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { text } from "@/shell/search";

/** The pages of backfills. */
export const backfillsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/backfills",
    validateSearch: (raw: Record<string, unknown>): { job?: string } => ({ job: text(raw.job) }),
    component: lazyRouteComponent(() => import("./BackfillsPage"), "BackfillsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/backfills/$id",
    component: lazyRouteComponent(() => import("./BackfillPage"), "BackfillPage"),
  }),
] as const;
