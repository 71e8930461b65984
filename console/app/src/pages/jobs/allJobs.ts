import { get } from "@/api/client";
import type { Job } from "@/api/types";

/** More jobs than these are not read at once for an export, or for what is done to all that match. */
export const mostJobs = 5_000;

type JobsQuery = NonNullable<NonNullable<Parameters<typeof get<"/jobs">>[1]>["query"]>;

/** Reads all jobs that match, page by page, up to mostJobs. */
export async function allJobs(
  query: Omit<JobsQuery, "after" | "limit" | "with">,
  signal?: AbortSignal,
): Promise<{ jobs: Job[]; more: boolean }> {
  const jobs: Job[] = [];
  let after: string | undefined;
  do {
    const page = await get("/jobs", { query: { ...query, after, limit: 1000 }, signal });
    jobs.push(...page.jobs);
    after = page.next;
  } while (after && jobs.length < mostJobs);
  return { jobs: jobs.slice(0, mostJobs), more: Boolean(after) || jobs.length > mostJobs };
}
