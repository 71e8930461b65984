import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const alarmsRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/alarms", component: placeholder("alarms") }),
] as const;
