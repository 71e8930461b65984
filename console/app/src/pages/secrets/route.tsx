import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const secretsRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/secrets", component: placeholder("secrets") }),
] as const;
