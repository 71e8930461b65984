import { describe, expect, it } from "vitest";
import { canDrain, countHealth, dialectsOf, type Executor, fullRules, healthOf } from "./health";

const now = Date.parse("2030-01-31T08:00:00Z");
const executor = (over: Partial<Executor> = {}): Executor => ({
  address: "http://10.0.0.1:9999/",
  namespace: "default",
  group: "g",
  registered_at: "2030-01-31T07:00:00Z",
  seen_at: "2030-01-31T07:59:55Z",
  lease_until: "2030-01-31T08:00:20Z",
  ...over,
});

describe("healthOf", () => {
  it.each([
    ["ok", {}],
    ["draining", { draining: true }],
    ["silent", { lease_until: "2030-01-31T08:00:00Z" }],
    ["silent", { manual: true, lease_until: undefined }],
    ["ok", { lease_until: undefined }],
    ["unreachable", { unreachable: "refused", draining: true, breaker: { state: "open" as const, failures: 5 } }],
    ["failing", { breaker: { state: "open" as const, failures: 5 } }],
    ["probing", { breaker: { state: "half_open" as const, failures: 5 } }],
    ["ok", { breaker: { state: "closed" as const, failures: 1 } }],
  ])("is %s for %o", (health, over) => {
    expect(healthOf(executor(over), now)).toBe(health);
  });
});

describe("groups", () => {
  it("counts by health, the worst first", () => {
    const all = [executor(), executor({ unreachable: "x" }), executor()];
    expect(countHealth(all, now)).toEqual([
      ["unreachable", 1],
      ["ok", 2],
    ]);
    expect(countHealth([], now)).toEqual([]);
  });

  it("names each dialect once", () => {
    expect(dialectsOf([executor({ dialect: "xxl-job" }), executor(), executor({ dialect: "native" })])).toEqual([
      "native",
      "xxl-job",
    ]);
    expect(canDrain(executor({ dialect: "native" }))).toBe(true);
    expect(canDrain(executor({ dialect: "xxl-job" }))).toBe(false);
  });

  it("leaves empty rules out, and keeps half ones for the server to refuse", () => {
    expect(
      fullRules([
        { from: " ", to: "" },
        { from: "http://a", to: "" },
      ]),
    ).toEqual([{ from: "http://a", to: "" }]);
  });
});
