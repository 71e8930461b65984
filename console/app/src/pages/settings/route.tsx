import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { oneOf, text } from "@/shell/search";

/** The views of the page of settings. */
export const settingsTabs = ["settings", "servers", "warnings"] as const;

/** What the page of settings has in the address bar. */
export type SettingsSearch = { tab?: (typeof settingsTabs)[number]; find?: string };

/** The page of settings. */
export const settingsRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/settings",
    validateSearch: (raw: Record<string, unknown>): SettingsSearch => ({
      tab: oneOf(raw.tab, settingsTabs),
      find: text(raw.find),
    }),
    component: lazyRouteComponent(() => import("./SettingsPage"), "SettingsPage"),
  }),
] as const;
