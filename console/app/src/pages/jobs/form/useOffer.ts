import { useGet } from "@/api/query";
import type { Offer } from "./offer";

const nothing: Offer = { executors: 0, silent: 0, handlers: [] };

/** What the living executors of a group can run; undefined while no group is chosen, or that is not known yet. */
export function useOffer(namespace: string, group: string): Offer | undefined {
  const groups = useGet("/groups", { query: { namespace, limit: 1000 } }, { staleTime: 60_000 });
  const known = groups.data?.groups.some((one) => one.key === group) ?? false;
  const { data } = useGet(
    "/groups/{group}/handlers",
    { path: { group } },
    { enabled: known, staleTime: 10_000, refetchInterval: 15_000 },
  );
  if (known) return data;
  return group !== "" && groups.data ? nothing : undefined;
}
