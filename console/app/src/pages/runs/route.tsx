import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { readSearch } from "./filters";

/** The pages of runs: their list, one of them, its log alone. */
export const runsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/runs",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./RunsPage"), "RunsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/runs/$id",
    component: lazyRouteComponent(() => import("./RunPage"), "RunPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/runs/$id/log",
    component: lazyRouteComponent(() => import("./RunLogPage"), "RunLogPage"),
  }),
] as const;
