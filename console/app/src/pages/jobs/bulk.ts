import type { post } from "@/api/client";
import type { Schema } from "@/api/types";
import { chunksOf, type JobRef, jobRefText } from "./jobRef";
import { filterOf, type JobSearch } from "./list/search";

/** Which jobs: those at these places, or all that a search finds. */
export type BulkTarget = { places: readonly JobRef[] } | { search: JobSearch };
export type BulkItem = Schema<"DoneItem">;
type Deed = Pick<Schema<"JobBulk">, "action" | "labels">;
type Send = (
  query: { namespace: string },
  body: Schema<"JobBulk">,
) => Promise<Pick<Awaited<ReturnType<typeof post<"/jobs/bulk">>>, "items" | "more" | "next">>;

/** So many jobs are named, or found, by one request: fewer than the server takes, so that one sees how it goes on. */
const chunk = 200;

/**
 * Does one thing to many jobs, request by request, and tells `done` what became of each. What a search finds is
 * sent as a filter, for a namespace or "*" for all; of it no more jobs are touched than `places`, which were shown.
 * Items have their namespaces.
 */
export async function doToMany(
  deed: Deed,
  target: BulkTarget,
  namespace: string,
  places: readonly JobRef[],
  send: Send,
  done: (items: BulkItem[]) => void,
): Promise<void> {
  if ("places" in target) {
    for (const { namespace: space, keys } of chunksOf(places, chunk)) {
      const { items } = await send({ namespace: space }, { ...deed, keys });
      done(items.map((item) => ({ ...item, namespace: space })));
    }
    return;
  }
  const filter = filterOf(target.search);
  let after: string | undefined;
  for (let left = places.length; left > 0; ) {
    const answer = await send({ namespace }, { ...deed, filter: { ...filter, after, limit: Math.min(left, chunk) } });
    done(answer.items.map((item) => ({ ...item, namespace: item.namespace ?? namespace })));
    left -= answer.items.length;
    if (!answer.more || !answer.next || answer.items.length === 0) return;
    after = answer.next;
  }
}

/** The name of an item, qualified by its namespace if there are several. */
export function nameOf(item: BulkItem, many: boolean): string {
  return many && item.namespace ? jobRefText({ namespace: item.namespace, key: item.key }) : item.key;
}
