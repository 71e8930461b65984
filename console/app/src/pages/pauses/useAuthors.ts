import { useMemo } from "react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";

/** Who saved each pause last, by its key: from the audit log, which administrators may read; undefined for others. */
export function useAuthors(): ReadonlyMap<string, string> | undefined {
  const { may } = useSession();
  const reads = may("admin", "*", "*");
  const { data } = useGet("/audit", { query: { operation: "save-pause", limit: 200 } }, { enabled: reads });
  return useMemo(() => {
    if (!reads) return undefined;
    const authors = new Map<string, string>();
    for (const line of data?.lines ?? []) if (line.key && !authors.has(line.key)) authors.set(line.key, line.actor);
    return authors;
  }, [reads, data]);
}
