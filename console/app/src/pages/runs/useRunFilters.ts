import { get } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Filter } from "@/ui/FilterBar";
import type { Finder } from "@/ui/options";
import { useWords } from "@/words";
import { causeWords, sharedWords, stateWords } from "@/words/shared";
import { causes, states } from "./filters";
import { presets } from "./range";
import { runsWords } from "./words";

/** In how many namespaces jobs are looked for at once. */
const mostSpaces = 20;

/**
 * Finds jobs by what was typed of their key or title: in a namespace, or in all when it is empty. Then the namespace
 * of those that are not in the default one stands before their keys, as jobPlace reads them.
 */
export function jobFinder(namespace: string): Finder {
  return {
    key: ["jobs", namespace],
    lookup: async (text, signal) => {
      const spaces = namespace
        ? [namespace]
        : (await get("/namespaces", { signal })).namespaces.slice(0, mostSpaces).map((one) => one.name);
      const limit = Math.ceil(50 / Math.max(spaces.length, 1));
      const found = await Promise.all(
        spaces.map((space) => get("/jobs", { query: { namespace: space, text: text || undefined, limit }, signal })),
      );
      return found.flatMap((page) =>
        page.jobs.map((job) => {
          const key = namespace || job.namespace === "default" ? job.key : `${job.namespace}/${job.key}`;
          return { value: key, label: key, help: job.title };
        }),
      );
    },
  };
}

/** Finds groups by their key. */
export function groupFinder(namespace: string): Finder {
  return {
    key: ["groups", namespace],
    lookup: async (text, signal) => {
      const found = await get("/groups", { query: namespace ? ({ namespace } as never) : {}, signal });
      const low = text.toLowerCase();
      const fitting = found.groups.filter((group) => `${group.key} ${group.title ?? ""}`.toLowerCase().includes(low));
      // Groups of several namespaces may have one key: that is one choice.
      return [...new Map(fitting.map((group) => [group.key, group])).values()].map((group) => ({
        value: group.key,
        label: group.key,
        help: group.title,
      }));
    },
  };
}

/** Finds executors that are there now. */
export function executorFinder(): Finder {
  return {
    key: ["executors"],
    lookup: async (text, signal) => {
      try {
        const found = await get("/executors", { signal });
        const all = found.executors.map((one) => one.address).filter((one) => one.includes(text));
        return [...new Set(text && !all.includes(text) ? [...all, text] : all)].map((one) => ({
          value: one,
          label: one,
        }));
      } catch (error) {
        if (error instanceof Problem && text) return [{ value: text, label: text }];
        throw error;
      }
    },
  };
}

/** The filters of the list of runs. */
export function useRunFilters(namespace: string): Filter[] {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const state = useWords(stateWords);
  const cause = useWords(causeWords);
  return [
    {
      name: "state",
      label: shared("state"),
      kind: "many",
      pinned: true,
      options: states.map((one) => ({ value: one, label: state(one) })),
    },
    { name: "job", label: shared("job"), kind: "one", pinned: true, options: jobFinder(namespace) },
    { name: "group", label: shared("group"), kind: "one", options: groupFinder(namespace) },
    {
      name: "time",
      label: t("time"),
      kind: "one",
      pinned: true,
      options: presets.map((one) => ({ value: one, label: t(one) })),
    },
    { name: "from", label: t("from"), kind: "time" },
    { name: "to", label: t("to"), kind: "time" },
    {
      name: "clock",
      label: t("clock"),
      kind: "one",
      options: [
        { value: "created", label: t("created") },
        { value: "planned", label: t("plannedClock") },
        { value: "ended", label: t("endedClock") },
      ],
    },
    {
      name: "cause",
      label: shared("cause"),
      kind: "one",
      options: causes.map((one) => ({ value: one, label: cause(one as Parameters<typeof cause>[0]) })),
    },
    { name: "executor", label: shared("executor"), kind: "one", options: executorFinder() },
    { name: "label", label: t("label"), kind: "text", placeholder: "team=billing" },
    { name: "by", label: t("by"), kind: "text" },
    { name: "late", label: t("late"), kind: "text", placeholder: "30s" },
    { name: "min_duration", label: t("minDuration"), kind: "text", placeholder: "10s" },
    { name: "max_duration", label: t("maxDuration"), kind: "text", placeholder: "5m" },
    { name: "min_tries", label: t("minTries"), kind: "text", placeholder: "2" },
    { name: "shards", label: t("shardsToo"), kind: "flag" },
  ];
}
