import { expect, it } from "vitest";
import { leftOf, partsOf } from "./progress";

const some = {
  slots: 10,
  made: 6,
  skipped: 1,
  succeeded: 3,
  failed: 1,
  state: "running",
  created_at: "2026-01-01T00:00:00Z",
} as const;

it("has the shares of a bar", () => {
  expect(partsOf(some)).toEqual({ succeeded: 0.3, failed: 0.1, skipped: 0.1, open: 0.2, done: 5 });
  expect(partsOf({ ...some, slots: 0, made: 0, skipped: 0, succeeded: 0, failed: 0 }).done).toBe(0);
});

it("estimates what is left by the pace so far", () => {
  const now = Date.parse("2026-01-01T00:00:50Z");
  expect(leftOf(some, now)).toBe(50_000);
  expect(leftOf({ ...some, state: "finished" }, now)).toBeUndefined();
  expect(leftOf({ ...some, skipped: 0, succeeded: 1, failed: 0 }, now)).toBeUndefined();
});
