import { createRoute } from "@tanstack/react-router";
import { placeholder } from "@/shell/Placeholder";
import { shellRoute } from "@/shell/route";

/** The pages of this area. */
export const calendarsRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: "/calendars", component: placeholder("calendars") }),
] as const;
