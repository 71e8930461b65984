import { useQuery } from "@tanstack/react-query";
import { patch, post } from "@/api/client";
import type { Problem } from "@/api/problem";
import { useDebounced } from "@/ui/useDebounced";
import { bodyOf } from "./body";
import { type JsonObject, patchOf } from "./mergepatch";
import type { JobValues } from "./values";

/** The response of the server to a dry run of the form. */
export type DryRun = { state: "idle" | "asking" | "good" | "bad"; problem: Problem | null };

/** Asks the server, a moment after the last change, whether the job could be saved; it saves nothing. */
export function useDryRun({
  values,
  base,
  namespace,
  key,
  active,
}: {
  values: JobValues;
  base: JsonObject | null;
  namespace: string;
  key: string | undefined;
  /** Whether there is something to ask: a change, and nothing that the browser knows to be wrong. */
  active: boolean;
}): DryRun {
  const body = bodyOf(values);
  const now = JSON.stringify(base ? patchOf(base, body as unknown as JsonObject) : body);
  const settled = useDebounced(now, 700);
  const asked = useQuery<boolean, Problem>({
    queryKey: ["job-dry-run", namespace, key ?? "", settled],
    queryFn: async ({ signal }) => {
      const wanted = JSON.parse(settled) as never;
      const query = { namespace, dry_run: true };
      if (key) await patch("/jobs/{key}", { path: { key }, query, body: wanted, signal });
      else await post("/jobs", { query, body: wanted, signal });
      return true;
    },
    enabled: active && settled === now,
    retry: false,
    gcTime: 0,
    staleTime: 30_000,
  });
  if (!active) return { state: "idle", problem: null };
  if (settled !== now || asked.isFetching) return { state: "asking", problem: null };
  return asked.error ? { state: "bad", problem: asked.error } : { state: "good", problem: null };
}
