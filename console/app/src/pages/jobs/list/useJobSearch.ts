import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { type JobSearch, readSearch } from "./search";

/** The state of the list in the address bar, and its setters. */
export function useJobSearch() {
  const raw = useSearch({ strict: false }) as Record<string, unknown> & { ns?: string };
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Partial<JobSearch>) => {
      void navigate({
        to: "/jobs",
        search: (before: Record<string, unknown>) => ({ ...before, ...changed }),
        replace: true,
      } as never);
    },
    [navigate],
  );
  const show = useCallback(
    (search: JobSearch) => {
      void navigate({ to: "/jobs", search: (before: { ns?: string }) => ({ ns: before.ns, ...search }) } as never);
    },
    [navigate],
  );
  return { search: readSearch(raw), change, show };
}
