import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const groupsRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/groups", component: placeholder("groups") }),
  createRoute({ getParentRoute: () => shellRoute, path: "/groups/$ns/$key", component: placeholder("groups") }),
] as const;
