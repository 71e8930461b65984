import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The page about the program itself. */
export const aboutRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/about",
    component: lazyRouteComponent(() => import("./AboutPage"), "AboutPage"),
  }),
] as const;
