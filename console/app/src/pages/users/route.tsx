import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** The views of the page of users. */
export const userTabs = ["users", "grants", "tokens", "roles"] as const;

/** What the page of users has in the address bar. */
export type UserSearch = {
  tab?: (typeof userTabs)[number];
  text?: string;
  kind?: "user" | "service";
  state?: "enabled" | "disabled" | "locked";
  role?: string;
  user?: string;
  in?: string;
};

/** The pages of users. */
export const usersRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/users",
    validateSearch: (raw: Record<string, unknown>): UserSearch => ({
      tab: oneOf(raw.tab, userTabs),
      text: text(raw.text),
      kind: oneOf(raw.kind, ["user", "service"]),
      state: oneOf(raw.state, ["enabled", "disabled", "locked"]),
      role: text(raw.role),
      user: text(raw.user),
      in: text(raw.in),
    }),
    component: lazyRouteComponent(() => import("./UsersPage"), "UsersPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/users/$name",
    component: lazyRouteComponent(() => import("./UserPage"), "UserPage"),
  }),
] as const;
