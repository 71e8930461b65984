import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";
import { readSearch } from "./list/search";

/** The tabs of the page of a job. */
export const jobTabs = ["overview", "runs", "firings", "history", "explain", "alarms"] as const;
export type JobTab = (typeof jobTabs)[number];

/** The pages of this area. Jobs are named by their keys. */
export const jobsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./list/JobsPage"), "JobsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs/new",
    validateSearch: (raw: Record<string, unknown>): { group?: string; template?: string } => ({
      group: text(raw.group),
      template: text(raw.template),
    }),
    component: lazyRouteComponent(() => import("./form/JobFormPage"), "NewJobPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs/$id",
    validateSearch: (raw: Record<string, unknown>): { tab?: JobTab } => ({ tab: oneOf(raw.tab, jobTabs) }),
    component: lazyRouteComponent(() => import("./detail/JobPage"), "JobPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs/$id/edit",
    component: lazyRouteComponent(() => import("./form/JobFormPage"), "EditJobPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs/$id/code",
    component: lazyRouteComponent(() => import("./code/CodePage"), "CodePage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/jobs/$id/history",
    component: lazyRouteComponent(() => import("./detail/JobPage"), "JobHistoryPage"),
  }),
] as const;
