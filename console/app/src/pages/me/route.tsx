import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const meRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/me", component: placeholder("me") }),
] as const;
