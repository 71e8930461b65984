import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { JobTimes } from "./bins";

/** More jobs than these are not shown at once. */
export const mostJobs = 1_000;

export type Line = { jobs: JobTimes[]; more: boolean };

/** Reads when the jobs of a namespace fire, or of all when it is empty, page by page, up to mostJobs. */
export function useTimeline(namespace: string, group: string | undefined, from: number, hours: number) {
  return useQuery<Line, Problem>({
    queryKey: ["/timeline", namespace, group ?? "", from, hours],
    queryFn: async ({ signal }) => {
      const jobs: JobTimes[] = [];
      let after: string | undefined;
      const query = {
        namespace: namespace || undefined,
        group,
        from: new Date(from).toISOString(),
        until: new Date(from + hours * 3_600_000).toISOString(),
      };
      try {
        do {
          const page = await get("/timeline", { query: { ...query, after, limit: 200 }, signal });
          jobs.push(...page.jobs);
          after = page.next;
        } while (after && jobs.length < mostJobs);
      } catch (error) {
        throw toProblem(error);
      }
      return { jobs, more: Boolean(after) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}
