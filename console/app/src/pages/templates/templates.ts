import type { Job } from "@/api/types";
import { jobRefText } from "../jobs/jobRef";

/** A job with code, and the jobs that run it. */
export type Template = { job: Job; instances: Job[] };

/** The templates among jobs, by key; with `all` also those without instances. */
export function templatesOf(jobs: readonly Job[], all: boolean): Template[] {
  const instances = new Map<string, Job[]>();
  for (const job of jobs) {
    if (!job.template) continue;
    const place = jobRefText({ namespace: job.namespace, key: job.template });
    instances.set(place, [...(instances.get(place) ?? []), job]);
  }
  return jobs
    .filter((job) => !job.template && (instances.has(jobRefText(job)) || (all && job.handler?.kind !== "named")))
    .map((job) => ({ job, instances: instances.get(jobRefText(job)) ?? [] }))
    .sort((a, b) => jobRefText(a.job).localeCompare(jobRefText(b.job)));
}
