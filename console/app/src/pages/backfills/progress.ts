import type { Schema } from "@/api/types";

type Backfill = Pick<
  Schema<"Backfill">,
  "slots" | "made" | "skipped" | "succeeded" | "failed" | "created_at" | "state"
>;

/** The parts of a backfill's bar, as shares of 1. What is made and not over is under way. */
export function partsOf(b: Backfill): {
  succeeded: number;
  failed: number;
  skipped: number;
  open: number;
  done: number;
} {
  const all = Math.max(b.slots, 1);
  const open = Math.max(0, b.made - b.succeeded - b.failed);
  const share = (n: number) => Math.min(1, n / all);
  return {
    succeeded: share(b.succeeded),
    failed: share(b.failed),
    skipped: share(b.skipped),
    open: share(open),
    done: Math.min(b.slots, b.succeeded + b.failed + b.skipped),
  };
}

/** Remaining time of a backfill in ms at its rate so far; undefined while too early to estimate. */
export function leftOf(b: Backfill, now: number): number | undefined {
  const { done } = partsOf(b);
  const since = now - Date.parse(b.created_at ?? "");
  if (b.state !== "running" || done < 2 || !(since > 0)) return undefined;
  return (since / done) * (b.slots - done);
}
