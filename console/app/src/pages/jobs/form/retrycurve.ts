import { parseDuration } from "@/ui/format";
import { delaysOf } from "./body";
import type { JobValues } from "./values";

/** One retry: how long after the end of the attempt before it comes, in ms, and the bounds of that by chance. */
export type Delay = { least: number; most: number; delay: number };

/** More retries than these are not drawn. */
export const mostDrawn = 40;

/**
 * The delays before each retry, as the server works them out: growing from the first by the multiplier up to the
 * longest, or one by one from a list; the share that is random lies on both sides.
 */
export function delaysBefore(retry: JobValues["retry"]): Delay[] {
  if (retry.way === "none") return [];
  const listed = delaysOf(retry.delays).map(parseDuration);
  const tries = retry.tries.trim() === "" ? (retry.way === "list" ? listed.length : 0) : Number(retry.tries);
  if (!Number.isInteger(tries) || tries <= 0 || listed.some(Number.isNaN)) return [];
  const random = Math.min(1, Math.max(0, Number(retry.jitter) / 100 || 0));
  const initial = retry.initial.trim() === "" ? 0 : parseDuration(retry.initial);
  const longest = retry.max.trim() === "" ? Number.POSITIVE_INFINITY : parseDuration(retry.max);
  const multiplier = retry.multiplier.trim() === "" ? 2 : Number(retry.multiplier);
  if (Number.isNaN(initial) || Number.isNaN(longest) || !(multiplier >= 1)) return [];
  return Array.from({ length: Math.min(tries, mostDrawn) }, (_, at) => {
    const whole = retry.way === "list" ? (listed[Math.min(at, listed.length - 1)] ?? 0) : initial * multiplier ** at;
    const delay = Math.min(whole, longest);
    return { least: delay * (1 - random), most: delay * (1 + random), delay };
  });
}
