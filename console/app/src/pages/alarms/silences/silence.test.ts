import { describe, expect, it } from "vitest";
import { bodyOf, type Silence, standing, valuesOf } from "./silence";

const now = Date.parse("2026-05-01T10:00:00Z");
const weekly: Silence = {
  id: "3",
  comment: "weekly",
  cron: "0 0 2 ? * SUN",
  zone: "Asia/Shanghai",
  length: "3h",
  kinds: ["failed"],
  rules: ["nightly"],
  scope: { groups: ["reports"] },
  from: "2026-01-01T00:00:00Z",
  active: false,
  begins_at: "2026-05-03T00:00:00Z",
  created_at: "2026-01-01T00:00:00Z",
};

describe("bodyOf", () => {
  it("is for two hours unless it is said otherwise", () =>
    expect(bodyOf({ ...valuesOf(undefined, false, "UTC", now), comment: " moving " })).toEqual({
      comment: "moving",
      until: "2026-05-01T12:00:00.000Z",
    }));
  it("is like another one, from now on", () =>
    expect(bodyOf(valuesOf(weekly, false, "UTC", now))).toEqual({
      comment: "weekly",
      cron: "0 0 2 ? * SUN",
      zone: "Asia/Shanghai",
      length: "3h",
      kinds: ["failed"],
      rules: ["nightly"],
      scope: { groups: ["reports"] },
    }));
  it("has no window when it comes once", () =>
    expect(bodyOf({ ...valuesOf(weekly, false, "UTC", now), again: false })).not.toHaveProperty("cron"));
});

describe("standing", () => {
  it.each([
    [{ active: true }, "active"],
    [{}, "coming"],
    [{ begins_at: undefined }, "over"],
  ] as const)("%j: %s", (part, stands) => expect(standing({ ...weekly, ...part })).toBe(stands));
});
