import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { Problem } from "@/api/problem";
import { meQuery } from "@/session/session";
import { Broken, Missing } from "./pages";
import { text } from "./search";

/** The root of all pages. */
export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: Missing,
  errorComponent: Broken,
});

/** The parent route of all pages that need a signed-in user. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  validateSearch: (raw: Record<string, unknown>): { ns?: string } => ({ ns: text(raw.ns) }),
  search: { middlewares: [retainSearchParams(["ns"])] },
  beforeLoad: async ({ context, location }) => {
    try {
      const me = await context.queries.ensureQueryData(meQuery);
      if (me.must_change_password) throw redirect({ to: "/sign-in", search: { to: location.href, change: true } });
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        throw redirect({ to: "/sign-in", search: { to: location.href === "/" ? undefined : location.href } });
      }
      throw error;
    }
  },
  component: lazyRouteComponent(() => import("./Layout"), "Layout"),
  notFoundComponent: Missing,
  errorComponent: Broken,
});
