import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf } from "@/shell/search";

/** The views of a workflow. */
export const views = ["graph", "runs", "text"] as const;

/** The pages of workflows and of their runs. */
export const workflowsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows",
    component: lazyRouteComponent(() => import("./WorkflowsPage"), "WorkflowsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows/new",
    component: lazyRouteComponent(() => import("./WorkflowEditPage"), "WorkflowNewPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows/$key",
    validateSearch: (raw: Record<string, unknown>): { view?: (typeof views)[number] } => ({
      view: oneOf(raw.view, views),
    }),
    component: lazyRouteComponent(() => import("./WorkflowPage"), "WorkflowPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows/$key/edit",
    component: lazyRouteComponent(() => import("./WorkflowEditPage"), "WorkflowEditPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflow-runs/$id",
    component: lazyRouteComponent(() => import("./WorkflowRunPage"), "WorkflowRunPage"),
  }),
] as const;
