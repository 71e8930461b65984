import type { Job } from "@/api/types";
import { placeOf } from "../jobs/places";

/** A job with code, and the jobs that run it. */
export type Template = { job: Job; instances: Job[] };

/** The templates among jobs, by their keys; with `all` also those that nobody runs. */
export function templatesOf(jobs: readonly Job[], all: boolean): Template[] {
  const instances = new Map<string, Job[]>();
  for (const job of jobs) {
    if (!job.template) continue;
    const place = placeOf({ namespace: job.namespace, key: job.template });
    instances.set(place, [...(instances.get(place) ?? []), job]);
  }
  return jobs
    .filter((job) => !job.template && (instances.has(placeOf(job)) || (all && job.handler?.kind !== "named")))
    .map((job) => ({ job, instances: instances.get(placeOf(job)) ?? [] }))
    .sort((a, b) => placeOf(a.job).localeCompare(placeOf(b.job)));
}
