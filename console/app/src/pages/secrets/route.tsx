import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { text } from "@/shell/search";

/** The pages of named secrets. */
export const secretsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/secrets",
    validateSearch: (raw: Record<string, unknown>): { text?: string; group?: string } => ({
      text: text(raw.text),
      group: text(raw.group),
    }),
    component: lazyRouteComponent(() => import("./SecretsPage"), "SecretsPage"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/secrets/$key",
    component: lazyRouteComponent(() => import("./SecretPage"), "SecretPage"),
  }),
] as const;
