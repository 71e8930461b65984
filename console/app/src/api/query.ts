import {
  keepPreviousData,
  QueryClient,
  type UseInfiniteQueryOptions,
  type UseQueryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { type Answer, type PathsWith, type ReadOptions, read } from "./client";
import { Problem } from "./problem";
import type { paths } from "./schema";

/** The client of all queries: a failed read is tried again only when nothing was wrong with it. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        networkMode: "always",
        retry: (count, error) =>
          count < 2 && error instanceof Problem && (error.status === 0 || error.status === 502 || error.status === 503),
        retryDelay: (count) => 500 * 2 ** count,
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** The key of a read. All reads of a path are invalidated with `[path]`. */
export function keyOf(path: keyof paths, options: object = {}) {
  const { path: inPath, query } = options as { path?: unknown; query?: unknown };
  return [path, inPath ?? null, query ?? null] as const;
}

type QueryExtras<T> = Partial<Omit<UseQueryOptions<T, Problem>, "queryKey" | "queryFn">>;

/** Reads a path and keeps it fresh. `keep` shows the last answer while another filter loads. */
export function useGet<P extends PathsWith<"get">>(
  path: P,
  options: ReadOptions<P> = {} as ReadOptions<P>,
  { keep, ...extras }: QueryExtras<Answer<P, "get">> & { keep?: boolean } = {},
) {
  return useQuery<Answer<P, "get">, Problem>({
    queryKey: keyOf(path, options as unknown as object),
    queryFn: ({ signal }) => read(path, { ...(options as unknown as object), signal }),
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
    ...extras,
  });
}

type Page = { next?: string };

/** The query parameter that takes `next` of the page before: each list of the API has one of the two. */
type Cursor = "after" | "before";

/** Reads a list page by page. `pages` of the result are the answers; fetchNextPage reads on. */
export function useList<P extends PathsWith<"get">>(
  path: P,
  cursor: Cursor,
  options: ReadOptions<P> = {} as ReadOptions<P>,
  extras: { refetchInterval?: number | false; enabled?: boolean } = {},
) {
  type T = Answer<P, "get">;
  const config: UseInfiniteQueryOptions<T, Problem, T[], readonly unknown[], string> = {
    queryKey: [...keyOf(path, options as unknown as object), "pages"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      read(path, {
        ...(options as unknown as object),
        query: { ...(options.query as object), ...(pageParam ? { [cursor]: pageParam } : {}) },
        signal,
      }),
    getNextPageParam: (last) => (last as Page).next || undefined,
    select: (data) => data.pages,
    placeholderData: keepPreviousData as never,
    ...extras,
  };
  return useInfiniteQuery(config);
}
