import type { Job, Schema } from "@/api/types";
import type { Pair } from "../jobs/form/values";

export type Scope = Schema<"AlarmScope">;

/** A scope as forms have it. */
export type ScopeValues = { jobs: string[]; groups: string[]; labels: Pair[] };

/** What a form holds of a scope. */
export function scopeValues(scope: Scope | undefined): ScopeValues {
  return {
    jobs: scope?.jobs ?? [],
    groups: scope?.groups ?? [],
    labels: Object.entries(scope?.labels ?? {}).map(([key, value]) => ({ key, value })),
  };
}

/** The scope of a form, as the API takes it; undefined when it leaves nothing out. */
export function scopeOf(values: ScopeValues): Scope | undefined {
  const labels = values.labels.filter((pair) => pair.key.trim() !== "");
  const scope: Scope = {
    ...(values.jobs.length > 0 ? { jobs: values.jobs } : {}),
    ...(values.groups.length > 0 ? { groups: values.groups } : {}),
    ...(labels.length > 0 ? { labels: Object.fromEntries(labels.map((pair) => [pair.key.trim(), pair.value])) } : {}),
  };
  return Object.keys(scope).length > 0 ? scope : undefined;
}

function fitsOne(patterns: readonly string[] | undefined, key: string): boolean {
  if (!patterns?.length) return true;
  return patterns.some((one) => (one.endsWith("*") ? key.startsWith(one.slice(0, -1)) : one === key));
}

/** Whether a scope is about a job, by the rules of the server. */
export function fits(scope: Scope | undefined, job: Pick<Job, "key" | "group" | "labels">): boolean {
  if (!fitsOne(scope?.jobs, job.key) || !fitsOne(scope?.groups, job.group)) return false;
  return Object.entries(scope?.labels ?? {}).every(([name, wanted]) => {
    const value = job.labels?.[name];
    return value !== undefined && (wanted === "*" || wanted === value);
  });
}

/** Whether a scope is about a group alone: one that names jobs or labels is not. */
export function fitsGroup(scope: Scope | undefined, group: string): boolean {
  if (scope?.jobs?.length || Object.keys(scope?.labels ?? {}).length > 0) return false;
  return fitsOne(scope?.groups, group);
}
