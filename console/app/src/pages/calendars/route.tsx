import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The pages of calendars: their list, and one of them. */
export const calendarsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/calendars",
    component: lazyRouteComponent(() => import("./CalendarsPage"), "CalendarsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/calendars/$ns/$key",
    component: lazyRouteComponent(() => import("./CalendarPage"), "CalendarPage"),
  }),
] as const;
