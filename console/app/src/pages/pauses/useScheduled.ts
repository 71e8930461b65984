import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { Problem } from "@/api/problem";
import { allJobs } from "../jobs/allJobs";
import { firesItself } from "./pause";

/** What is known of a job that fires by itself. */
export type Scheduled = { key: string; namespace: string; group: string; next_at?: string; held_by?: string };

const mostNamespaces = 50;

/** The jobs of all namespaces that fire by themselves. */
export function useScheduled() {
  return useQuery<Scheduled[], Problem>({
    queryKey: ["/jobs", "scheduled"],
    queryFn: async ({ signal }) => {
      const { namespaces } = await get("/namespaces", { signal });
      const all: Scheduled[] = [];
      for (const { name } of namespaces.filter((one) => one.jobs > 0).slice(0, mostNamespaces)) {
        const { jobs } = await allJobs({ namespace: name, enabled: "true" }, signal);
        for (const { key, namespace, group, next_at, held_by } of jobs.filter(firesItself)) {
          all.push({ key, namespace, group, next_at, held_by });
        }
      }
      return all;
    },
    staleTime: 15_000,
  });
}
