import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventKind, gather, isOld } from "./events";

vi.mock("./client", () => ({ urlOf: (path: string) => path }));

describe("gather", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells a storm once, with all its kinds", () => {
    const told: EventKind[][] = [];
    const gathered = gather((kinds) => told.push([...kinds]), 1_000);
    for (let i = 0; i < 1_000; i++) gathered.add(i % 2 ? "run" : "job");
    vi.advanceTimersByTime(999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([["job", "run"]]);
    gathered.add("alarm");
    vi.advanceTimersByTime(1_000);
    expect(told[1]).toEqual(["alarm"]);
  });

  it("tells nothing after it was stopped", () => {
    const tell = vi.fn();
    const gathered = gather(tell, 10);
    gathered.add("run");
    gathered.stop();
    vi.advanceTimersByTime(100);
    expect(tell).not.toHaveBeenCalled();
  });
});

describe("isOld", () => {
  it.each([
    ["/runs", ["run"], true],
    ["/runs/{id}/attempts", ["run"], true],
    ["/runs/{id}/log", ["run"], false],
    ["/runs", ["job", "alarm"], false],
    ["/jobs/{key}", ["job"], true],
    ["/jobsome", ["job"], false],
    ["/groups/{group}", ["executor"], true],
  ] as const)("%s after %s: %s", (path, kinds, old) => expect(isOld(path, new Set<EventKind>(kinds))).toBe(old));
});
