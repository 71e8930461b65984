import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";

/** The page of executors of Solana threads. */
export const solanaRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/solana",
    validateSearch: (raw: Record<string, unknown>) =>
      raw as { at?: string; tab?: string; text?: string; sort?: string; cols?: string[] },
    component: lazyRouteComponent(() => import("./SolanaPage"), "SolanaPage"),
  }),
] as const;
