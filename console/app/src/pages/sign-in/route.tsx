import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/shell/route";
import { flag, text } from "@/shell/search";

/** Where people sign in, and change a password that they have to. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (raw: Record<string, unknown>): { to?: string; change?: boolean; failed?: string } => ({
    to: text(raw.to),
    change: flag(raw.change) || undefined,
    failed: text(raw.failed),
  }),
  component: lazyRouteComponent(() => import("./SignInPage"), "SignInPage"),
});
