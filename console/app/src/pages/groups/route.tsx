import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The pages of groups of executors: their list, and one of them. */
export const groupsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/groups",
    component: lazyRouteComponent(() => import("./GroupsPage"), "GroupsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/groups/$ns/$key",
    component: lazyRouteComponent(() => import("./GroupPage"), "GroupPage"),
  }),
] as const;
