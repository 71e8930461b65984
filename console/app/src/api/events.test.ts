import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventKind, gather, isOld, readMissed } from "./events";

vi.mock("./client", () => ({ urlOf: (path: string) => path }));
vi.mock("./connect", () => ({ connect: () => ({ send: () => {}, close: () => {} }) }));

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

describe("readMissed", () => {
  const read = (how: { begun: boolean; first: boolean }) => {
    const invalidateQueries = vi.fn(async () => {});
    readMissed({ invalidateQueries }, how);
    const [filter, options] = invalidateQueries.mock.calls[0] as unknown as [
      { predicate?: (query: { queryKey: string[] }) => boolean },
      object,
    ];
    const reads = (path: string) => (filter.predicate ? filter.predicate({ queryKey: [path] }) : true);
    return { reads, options };
  };

  it("reads on a new page what events would have made old, and lets go on what is being read", () => {
    const { reads, options } = read({ begun: true, first: true });
    expect(["/runs", "/jobs/{key}", "/me", "/dashboard"].map(reads)).toEqual([true, true, false, false]);
    expect(options).toEqual({ cancelRefetch: false });
  });

  it("reads everything when the page comes back too late", () => {
    const { reads, options } = read({ begun: true, first: false });
    expect(["/runs", "/me"].map(reads)).toEqual([true, true]);
    expect(options).toEqual({ cancelRefetch: false });
  });

  it("reads everything from the beginning when events were missed in between", () => {
    expect(read({ begun: false, first: false }).options).toEqual({ cancelRefetch: true });
  });
});
