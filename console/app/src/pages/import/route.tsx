import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The page that takes over what other schedulers have. */
export const importRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/import",
    component: lazyRouteComponent(() => import("./ImportPage"), "ImportPage"),
  }),
] as const;
