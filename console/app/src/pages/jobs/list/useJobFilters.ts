import { useMemo } from "react";
import { get } from "@/api/client";
import { useGet } from "@/api/query";
import type { Filter } from "@/ui/FilterBar";
import type { Finder } from "@/ui/options";
import { useWords } from "@/words";
import { scheduleWords, sharedWords, stateWords } from "@/words/shared";
import { jobsWords } from "../words";
import { kinds, lasts, statuses } from "./search";

/** Finds calendars by their key or title. */
function calendarFinder(namespace: string): Finder {
  return {
    key: ["calendars", namespace],
    lookup: async (text, signal) => {
      const found = await get("/calendars", { query: { namespace }, signal });
      const low = text.toLowerCase();
      const keys = found.calendars.map((one) => one.key);
      return found.calendars
        .filter((one, at) => keys.indexOf(one.key) === at) // those of several namespaces may have the same key
        .filter((one) => `${one.key} ${one.title ?? ""}`.toLowerCase().includes(low))
        .map((one) => ({ value: one.key, label: one.key, help: one.title }));
    },
  };
}

/** Finds jobs with code that others can run, by their key or title. */
function templateFinder(namespace: string): Finder {
  return {
    key: ["job templates", namespace],
    lookup: async (text, signal) => {
      const found = await get("/jobs", { query: { namespace, text: text.slice(0, 100), limit: 50 }, signal });
      const keys = found.jobs.map((one) => one.key);
      return found.jobs
        .filter((one, at) => !one.template && keys.indexOf(one.key) === at)
        .map((one) => ({ value: one.key, label: one.key, help: one.title }));
    },
  };
}

/** What the list of jobs can be narrowed by: what its jobs have, with how many have it. */
export function useJobFilters(namespace: string): Filter[] {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const states = useWords(stateWords);
  const schedules = useWords(scheduleWords);
  const { data } = useGet("/job-facets", { query: { namespace } }, { staleTime: 30_000 });
  return useMemo(() => {
    const options = (of: readonly { value: string; jobs: number }[] | undefined) =>
      (of ?? []).map((one) => ({ value: one.value, label: `${one.value} (${one.jobs})`, text: one.value }));
    return [
      { name: "group", label: shared("group"), kind: "one", pinned: true, options: options(data?.groups) },
      {
        name: "status",
        label: t("status"),
        kind: "one",
        pinned: true,
        options: statuses.map((value) => ({ value, label: t(value) })),
      },
      { name: "labels", label: t("labels"), kind: "many", options: options(data?.labels) },
      { name: "any", label: t("anyLabel"), kind: "flag" },
      { name: "handler", label: t("handler"), kind: "one", options: options(data?.handlers) },
      { name: "owner", label: t("owner"), kind: "one", options: options(data?.owners) },
      {
        name: "kind",
        label: t("schedule"),
        kind: "one",
        options: kinds.map((value) => ({ value, label: value === "several" ? t("several") : schedules(value) })),
      },
      { name: "calendar", label: t("calendar"), kind: "one", options: calendarFinder(namespace) },
      { name: "template", label: t("template"), kind: "one", options: templateFinder(namespace) },
      {
        name: "last",
        label: t("lastResult"),
        kind: "one",
        pinned: true,
        options: lasts.map((value) => ({ value, label: states(value) })),
      },
    ];
  }, [data, namespace, t, shared, states, schedules]);
}
