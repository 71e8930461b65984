import type { Job } from "@/api/types";

/** A job with code, and the jobs that run it. */
export type Template = { job: Job; instances: Job[] };

/** The templates among jobs, by their keys; with `all` also those that nobody runs. */
export function templatesOf(jobs: readonly Job[], all: boolean): Template[] {
  const instances = new Map<string, Job[]>();
  for (const job of jobs) {
    if (job.template) instances.set(job.template, [...(instances.get(job.template) ?? []), job]);
  }
  return jobs
    .filter((job) => !job.template && (instances.has(job.key) || (all && job.handler?.kind !== "named")))
    .map((job) => ({ job, instances: instances.get(job.key) ?? [] }))
    .sort((a, b) => a.job.key.localeCompare(b.job.key));
}
