import type { Schema } from "@/api/types";
import { parseDuration } from "@/ui/format";

type Bucket = Schema<"DashboardBucket">;

/** The outcomes with their own series in the chart; the others are combined. */
export const outcomes = ["succeeded", "failed", "timed_out", "lost", "other"] as const;
export type Outcome = (typeof outcomes)[number];

/** How many runs of each outcome ended in each bucket. */
export function byOutcome(buckets: readonly Bucket[]): Record<Outcome, number[]> {
  const of = (count: (bucket: Bucket) => number) => buckets.map(count);
  return {
    succeeded: of((bucket) => bucket.succeeded),
    failed: of((bucket) => bucket.failed),
    timed_out: of((bucket) => bucket.timed_out),
    lost: of((bucket) => bucket.lost),
    other: of((bucket) => bucket.cancelled + bucket.skipped),
  };
}

/** Durations of each bucket in ms; null where nothing ended. */
export function durations(buckets: readonly Bucket[], of: "took_p50" | "took_p95"): (number | null)[] {
  return buckets.map((bucket) => {
    const ms = parseDuration(bucket[of] ?? "");
    return Number.isFinite(ms) ? ms : null;
  });
}

/** The beginnings of the buckets in ms. */
export const timesOf = (buckets: readonly Bucket[]) => buckets.map((bucket) => Date.parse(bucket.from));
