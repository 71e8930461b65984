import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/shell/route";
import { text } from "@/shell/search";

const names = [
  "state",
  "status",
  "rule",
  "channel",
  "kind",
  "job",
  "group",
  "since",
  "until",
  "new",
  "edit",
  "copy",
  "in",
] as const;

/** What the pages of alarms have in the address bar. */
export type AlarmSearch = { [K in (typeof names)[number]]?: string };

const validateSearch = (raw: Record<string, unknown>): AlarmSearch =>
  Object.fromEntries(names.map((name) => [name, text(raw[name])]));

const pages = () => import("./pages");
const getParentRoute = () => shellRoute;

/** The pages of alarms. */
export const alarmsRoutes = [
  createRoute({
    getParentRoute,
    path: "/alarms",
    validateSearch,
    component: lazyRouteComponent(pages, "AlarmsPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/alarms/messages",
    validateSearch,
    component: lazyRouteComponent(pages, "MessagesPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/alarms/rules",
    validateSearch,
    component: lazyRouteComponent(pages, "RulesPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/alarms/channels",
    validateSearch,
    component: lazyRouteComponent(pages, "ChannelsPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/alarms/silences",
    validateSearch,
    component: lazyRouteComponent(pages, "SilencesPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/alarms/$id",
    component: lazyRouteComponent(pages, "AlarmPage"),
  }),
] as const;
