import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { post } from "@/api/client";
import type { Job } from "@/api/types";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { jobsWords } from "./words";

/** What opens a dialog about a job. */
export type JobAction = "run" | "backfill" | "copy" | "instance" | "delete" | "explain";

/** Makes all that is known of jobs and their runs old. */
export function useJobsChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: (query) => /^\/(jobs|job-facets|runs|backfills|dashboard|summary)/.test(String(query.queryKey[0])),
      }),
    [queries],
  );
}

/** Enables or disables a job and shows a message. */
export function useStartStop() {
  const t = useWords(jobsWords);
  const toast = useToast();
  const changed = useJobsChanged();
  return useCallback(
    async (job: Pick<Job, "key" | "namespace" | "enabled">) => {
      const named = { path: { key: job.key }, query: { namespace: job.namespace } };
      try {
        if (job.enabled) await post("/jobs/{key}/stop", named);
        else await post("/jobs/{key}/start", named);
        toast.done(t(job.enabled ? "didStop" : "didStart", { key: job.key }));
        await changed();
      } catch (error) {
        toast.failed(error);
      }
    },
    [t, toast, changed],
  );
}
