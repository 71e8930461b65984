import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { flag } from "@/shell/search";

/** The pages of this area. */
export const templatesRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/templates",
    validateSearch: (raw: Record<string, unknown>): { all?: boolean } => ({ all: flag(raw.all) }),
    component: lazyRouteComponent(() => import("./TemplatesPage"), "TemplatesPage"),
  }),
] as const;
