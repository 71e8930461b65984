import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Answer, get } from "@/api/client";
import { useEvents } from "@/api/events";
import type { Problem } from "@/api/problem";
import { mayShow, queryOf, type RunSearch } from "./filters";
import { mergedPages, newIn, type RunEvent, runEventOf } from "./merge";
import { idAfter } from "./useRun";

type Page = Answer<"/runs", "get">;
type Cursor = { before?: string; after?: string };

/** The first part of the keys of lists of runs: the shell's own refreshing leaves them alone, so that no row jumps. */
export const runsKey = "runs list";

const gatherFor = 1_000;
const page = 50;

/** Reports whether events have enough fields to decide that a run is in the list. */
const countable = (search: RunSearch): boolean =>
  ![
    search.executor,
    search.label,
    search.by,
    search.text,
    search.late,
    search.min_duration,
    search.max_duration,
    search.min_tries,
  ].some(Boolean);

/**
 * The runs that a search finds, kept fresh: what is on the page changes in its place; runs that are new are
 * shown at once when the reader is at the top (`calm`), else they are counted until `showNew`.
 */
export function useRuns(search: RunSearch, namespace: string, calm: () => boolean) {
  const queries = useQueryClient();
  const { cols: _, ...asked } = search;
  const text = JSON.stringify(asked);
  const key = useMemo(() => [runsKey, text, namespace] as const, [text, namespace]);
  const query = useInfiniteQuery<Page, Problem, Page[], readonly unknown[], Cursor>({
    queryKey: key,
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) =>
      get("/runs", { query: { ...queryOf(asked, Date.now(), namespace), limit: page, ...pageParam }, signal }),
    getNextPageParam: (last) => (last.next ? { before: last.next } : last.after ? { after: last.after } : undefined),
    select: (data) => data.pages,
    placeholderData: keepPreviousData as never,
    refetchInterval: (now) => (now.state.data?.pages.length === 1 && calm() ? 30_000 : false),
    refetchOnWindowFocus: false,
  });
  const { refetch } = query;

  const showNew = useCallback(() => {
    queries.setQueryData<InfiniteData<Page, Cursor>>(
      key,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    void refetch();
  }, [queries, key, refetch]);

  const fresh = useFresh(key, asked, namespace, calm, showNew);
  return { ...query, pages: query.data, fresh, showNew };
}

const mostAgain = 10;

/** Reloads finished rows: events lack their start time and executor. */
async function readAgain(queries: QueryClient, key: readonly unknown[], ids: string[]): Promise<void> {
  const read = await Promise.all(
    [...new Set(ids)].slice(0, mostAgain).map(async (id) => {
      try {
        const found = await get("/runs", { query: { before: idAfter(id), limit: 1, shards: true } });
        return found.runs.find((run) => run.id === id);
      } catch {
        return undefined; // The row keeps the data of the event.
      }
    }),
  );
  const byId = new Map(read.flatMap((run) => (run ? [[run.id, run] as const] : [])));
  if (byId.size === 0) return;
  queries.setQueryData<InfiniteData<Page, Cursor>>(
    key,
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((one) => ({ ...one, runs: one.runs.map((run) => byId.get(run.id) ?? run) })),
      },
  );
}

/** Counts runs that are new, and changes those that are shown. */
function useFresh(
  key: readonly unknown[],
  asked: RunSearch,
  namespace: string,
  calm: () => boolean,
  showNew: () => void,
): number {
  const queries = useQueryClient();
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef<RunEvent[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef({ asked, namespace, calm, showNew, key });
  latest.current = { asked, namespace, calm, showNew, key };

  const work = useCallback(() => {
    timer.current = undefined;
    const { asked, namespace, calm, showNew, key } = latest.current;
    const events = waiting.current;
    waiting.current = [];
    const data = queries.getQueryData<InfiniteData<Page, Cursor>>(key);
    if (!data) return;
    const pages = mergedPages(data.pages, events);
    if (pages !== data.pages) queries.setQueryData<InfiniteData<Page, Cursor>>(key, { ...data, pages });
    const over = events.filter((event) => event.run.final).map((event) => event.run.id);
    const shown = new Set(pages.flatMap((one) => one.runs.map((run) => run.id)));
    void readAgain(
      queries,
      key,
      over.filter((id) => shown.has(id)),
    );
    const about = events.filter((event) => mayShow(asked, event.run, event, namespace));
    const came = newIn(pages, about);
    if (came.size === 0) return;
    // In other orders a new run has its place anywhere.
    if (calm() && data.pages.length === 1) return showNew();
    if (countable(asked) && !asked.sort) setUnseen((now) => new Set([...now, ...came].slice(0, 1_000)));
  }, [queries]);

  useEvents(
    "run",
    useCallback(
      (data) => {
        const event = runEventOf(data);
        if (!event) return;
        waiting.current.push(event);
        timer.current ??= setTimeout(work, gatherFor);
      },
      [work],
    ),
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  // What was read since is not new any more.
  const updated = queries.getQueryState(key)?.dataUpdatedAt;
  const data = queries.getQueryData<InfiniteData<Page, Cursor>>(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each read and each key starts over.
  useEffect(() => {
    setUnseen((now) => {
      if (now.size === 0 || !data) return now;
      const shown = new Set(data.pages.flatMap((one) => one.runs.map((run) => run.id)));
      const left = [...now].filter((id) => !shown.has(id));
      return left.length === now.size ? now : new Set(left);
    });
  }, [updated, key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts over.
  useEffect(() => setUnseen(new Set()), [key]);
  return unseen.size;
}
