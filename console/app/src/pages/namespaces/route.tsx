import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The page of namespaces. */
export const namespacesRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/namespaces",
    component: lazyRouteComponent(() => import("./NamespacesPage"), "NamespacesPage"),
  }),
] as const;
