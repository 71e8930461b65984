import { describe, expect, it } from "vitest";
import { byOutcome, durations, timesOf } from "./series";

const bucket = (over: object) =>
  ({
    from: "2026-11-22T00:00:00.000Z",
    to: "2026-11-22T00:30:00.000Z",
    runs: 0,
    succeeded: 0,
    failed: 0,
    timed_out: 0,
    cancelled: 0,
    lost: 0,
    skipped: 0,
    attempts: 0,
    ...over,
  }) as Parameters<typeof byOutcome>[0][number];

const buckets = [
  bucket({ succeeded: 4, failed: 1, cancelled: 2, skipped: 3, took_p50: "1m30s", took_p95: "2m" }),
  bucket({ from: "2026-11-22T00:30:00.000Z", lost: 5, timed_out: 6 }),
];

describe("series", () => {
  it("counts every run once", () => {
    const counted = byOutcome(buckets);
    expect(counted).toEqual({ succeeded: [4, 0], failed: [1, 0], timed_out: [0, 6], lost: [0, 5], other: [5, 0] });
    expect(
      Object.values(counted)
        .flat()
        .reduce((sum, n) => sum + n, 0),
    ).toBe(21);
  });
  it("leaves a gap where nothing ended", () => expect(durations(buckets, "took_p50")).toEqual([90_000, null]));
  it("knows when buckets begin", () => expect(timesOf(buckets)[1]).toBe(Date.UTC(2026, 10, 22, 0, 30)));
});
