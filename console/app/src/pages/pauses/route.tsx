import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const pausesRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/pauses", component: placeholder("pauses") }),
] as const;
