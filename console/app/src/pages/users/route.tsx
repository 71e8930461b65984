import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const usersRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/users", component: placeholder("users") }),
] as const;
