import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The page of who is signed in. */
export const meRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/me",
    component: lazyRouteComponent(() => import("./MePage"), "MePage"),
  }),
] as const;
