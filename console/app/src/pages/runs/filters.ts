import type { Query } from "@/api/client";
import type { Run, RunCause, RunState } from "@/api/types";
import { flag, list, number, oneOf, text } from "@/shell/search";
import { parseDuration } from "@/ui/format";
import { jobPlace } from "./jobPlace";
import { type Preset, presets, rangeOf } from "./range";

/** All states of runs, in the order of a run's life. */
export const states = [
  "planned",
  "queued",
  "dispatched",
  "running",
  "stopping",
  "waiting_retry",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "lost",
  "skipped",
] as const satisfies readonly RunState[];

/** All causes of runs. */
export const causes = [
  "schedule",
  "misfire",
  "manual",
  "api",
  "parent",
  "retry",
  "backfill",
  "redrive",
  "shard",
  "trial",
] as const satisfies readonly RunCause[];

/** The instants of a run that a range of time may be about. */
export const clocks = ["created", "planned", "ended"] as const;
export type Clock = (typeof clocks)[number];

export type RunSort = NonNullable<NonNullable<Query<"/runs", "get">>["sort"]>;

const sorts = [
  "-created_at",
  "planned_at",
  "-planned_at",
  "started_at",
  "-started_at",
  "ended_at",
  "-ended_at",
  "duration",
  "-duration",
  "tries",
  "-tries",
] as const satisfies readonly RunSort[];

/** What the list of runs has in the address bar: only what differs from the list of all. */
export type RunSearch = {
  state?: RunState[];
  cause?: RunCause;
  job?: string;
  group?: string;
  executor?: string;
  label?: string;
  by?: string;
  text?: string;
  late?: string;
  min_duration?: string;
  max_duration?: string;
  min_tries?: number;
  shards?: boolean;
  time?: Preset;
  clock?: Clock;
  from?: string;
  to?: string;
  sort?: RunSort;
  /** The ids of the columns that are shown. */
  cols?: string[];
};

const texts = ["job", "group", "executor", "label", "by", "text"] as const;
const durations = ["late", "min_duration", "max_duration"] as const;

/** Reads the address bar. What it does not know, and what is wrong, is left out. */
export function readSearch(raw: Record<string, unknown>): RunSearch {
  const search: RunSearch = {};
  const chosen = list(raw.state)?.filter((one): one is RunState => states.includes(one as RunState));
  if (chosen && chosen.length > 0) search.state = chosen;
  for (const name of texts) search[name] = text(raw[name])?.trim();
  for (const name of durations) {
    const read = text(raw[name])?.trim();
    if (read && Number.isFinite(parseDuration(read))) search[name] = read;
  }
  const tries = number(raw.min_tries);
  if (tries !== undefined && Number.isInteger(tries) && tries > 0) search.min_tries = tries;
  if (flag(raw.shards)) search.shards = true;
  search.cause = oneOf(raw.cause, causes);
  search.time = oneOf(raw.time, presets);
  const clock = oneOf(raw.clock, clocks);
  if (clock !== "created") search.clock = clock;
  if (!search.time) {
    search.from = instant(raw.from);
    search.to = instant(raw.to);
  }
  const sort = oneOf(raw.sort, sorts);
  if (sort !== "-created_at") search.sort = sort;
  search.cols = list(raw.cols);
  return prune(search);
}

function instant(value: unknown): string | undefined {
  const ms = Date.parse(text(value) ?? "");
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}

/** Takes out what is absent, so that it does not stand in the address. */
export function prune<T extends object>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== "")) as T;
}

/** The begin and the end of the search's range of time at an instant. */
export function timesOf(search: RunSearch, now: number): { from?: string; to?: string } {
  if (!search.time) return prune({ from: search.from, to: search.to });
  const { from, to } = rangeOf(search.time, now);
  return prune({
    from: from === undefined ? undefined : new Date(from).toISOString(),
    to: to === undefined ? undefined : new Date(to).toISOString(),
  });
}

/** What the API is asked for, at an instant: named ranges move with the clock. */
export function queryOf(search: RunSearch, now: number, namespace = ""): NonNullable<Query<"/runs", "get">> {
  const { time: _, clock = "created", from: __, to: ___, cols: ____, state, ...rest } = search;
  const { from, to } = timesOf(search, now);
  return prune({
    ...rest,
    ...jobPlace(search.job, namespace),
    // The API takes them in one parameter, with commas between them.
    ...(state ? { state: state.join(",") as never } : {}),
    [`${clock}_since`]: from,
    [`${clock}_until`]: to,
  });
}

/** How many filters are set; the order is none. */
export function filtersSet(search: RunSearch): number {
  const { sort: _, clock: __, cols: ___, from, to, ...rest } = search;
  return Object.keys(prune(rest)).length + (from || to ? 1 : 0);
}

/** The filter of a bulk action that finds what the search finds; null when it has what bulk actions cannot look for. */
export function bulkFilterOf(search: RunSearch, now: number, namespace = "") {
  const { executor, label, by, text, late, min_duration, max_duration, min_tries, shards } = search;
  const other = [executor, label, by, text, late, min_duration, max_duration, min_tries, shards].some(Boolean);
  if (other || (search.clock && search.clock !== "created")) return null;
  const { from, to } = timesOf(search, now);
  return prune({
    ...jobPlace(search.job, namespace),
    group: search.group,
    cause: search.cause,
    states: search.state,
    created_since: from,
    created_until: to,
  });
}

/** Reports whether the run of an event may match the filters. Only the fields of events are compared. */
export function mayShow(
  search: RunSearch,
  run: Pick<Run, "state" | "cause" | "shard">,
  of: { namespace?: string; group?: string; job?: string },
  namespace = "",
): boolean {
  if (search.state && !search.state.includes(run.state)) return false;
  if (search.cause && search.cause !== run.cause) return false;
  if (run.shard && !search.shards) return false;
  const place = jobPlace(search.job, namespace);
  if (place.namespace && place.namespace !== of.namespace) return false;
  if (search.group && search.group !== of.group) return false;
  if (place.job && place.job !== of.job) return false;
  return true;
}
