import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** What the audit has in the address bar. */
export type AuditSearch = {
  actor?: string;
  operation?: string;
  kind?: string;
  key?: string;
  from?: string;
  until?: string;
  order?: "oldest";
  line?: string;
};

const read = (raw: Record<string, unknown>): AuditSearch => ({
  actor: text(raw.actor),
  operation: text(raw.operation),
  kind: text(raw.kind),
  key: text(raw.key),
  from: text(raw.from),
  until: text(raw.until),
  order: oneOf(raw.order, ["oldest"]),
  line: text(raw.line),
});

/** The page of the audit. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/audit",
    validateSearch: read,
    component: lazyRouteComponent(() => import("./AuditPage"), "AuditPage"),
  }),
] as const;
