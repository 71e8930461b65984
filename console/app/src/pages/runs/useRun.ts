import type { Problem } from "@/api/problem";
import { useGet } from "@/api/query";
import type { Run } from "@/api/types";

/** The id behind an id: lists give runs before one. */
export const idAfter = (id: string): string => (/^\d+$/.test(id) ? String(BigInt(id) + 1n) : id);

/** A run with its group, namespace and executor. The API returns those in lists only, so the list is queried too. */
export function useRun(id: string): { run: Run | undefined; problem: Problem | null; retry: () => void } {
  const alone = useGet(
    "/runs/{id}",
    { path: { id } },
    { refetchInterval: (query) => (query.state.data?.final ? false : 5_000) },
  );
  const listed = useGet(
    "/runs",
    { query: { before: idAfter(id), limit: 1, shards: true } },
    { enabled: Boolean(alone.data), staleTime: 60_000 },
  );
  const found = listed.data?.runs.find((run) => run.id === id);
  const run = alone.data && {
    ...alone.data,
    namespace: alone.data.namespace ?? found?.namespace,
    group: alone.data.group ?? found?.group,
    executor: found?.executor,
  };
  return { run, problem: alone.error, retry: () => void alone.refetch() };
}
