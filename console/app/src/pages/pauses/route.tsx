import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { text } from "@/shell/search";

/** What the page of pauses has in the address bar: `new` opens the dialog, filled in with the rest. */
export type PauseSearch = { new?: string; edit?: string; from?: string; until?: string; group?: string };

/** The pages of this area. */
export const pausesRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/pauses",
    validateSearch: (raw: Record<string, unknown>): PauseSearch => ({
      new: text(raw.new),
      edit: text(raw.edit),
      from: text(raw.from),
      until: text(raw.until),
      group: text(raw.group),
    }),
    component: lazyRouteComponent(() => import("./PausesPage"), "PausesPage"),
  }),
] as const;
