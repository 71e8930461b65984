import { describe, expect, it } from "vitest";
import { byGroup, cellsOf, crowdsOf, gapsOf, type JobTimes, levelOf, spanOf, stepOf, within } from "./bins";

const job = (key: string, minutes: number[], counts = minutes.map(() => 1), group = "g"): JobTimes => ({
  namespace: "default",
  key,
  group,
  minutes,
  counts,
});
const jobs = [job("a", [0, 14, 15, 60]), job("b", [0, 59], [1, 6], "f"), job("c", [60])];

describe("cells", () => {
  it("add up", () => {
    expect(cellsOf(jobs, 15, 5)).toEqual([3, 1, 0, 6, 2]);
    expect(cellsOf(jobs, 15, 1)).toEqual([3]);
  });

  it.each([
    [0, 100, 0],
    [1, 100, 1],
    [100, 100, 5],
    [1, 1, 5],
    [10, 100, 3],
    [1, 0, 0],
  ])("%d of %d is level %d", (count, most, level) => {
    expect(levelOf(count, most)).toBe(level);
  });

  it("are some hundred a window at most", () => {
    for (const hours of [6, 12, 24, 48]) expect((hours * 60) / stepOf(hours)).toBeLessThanOrEqual(100);
  });
});

describe("crowds and gaps", () => {
  it("finds where jobs collide", () => {
    expect(crowdsOf(jobs, 5).map((crowd) => [crowd.minute, crowd.jobs.map((one) => one.key)])).toEqual([
      [0, ["a", "b"]],
      [60, ["a", "c"]],
    ]);
    expect(crowdsOf(jobs, 1)).toHaveLength(1);
    expect(crowdsOf([job("a", [3])], 5)).toEqual([]);
  });

  it("finds where nothing fires", () => {
    expect(gapsOf(jobs, 120, 13, 5)).toEqual([
      { from: 61, until: 120 },
      { from: 16, until: 59 },
      { from: 1, until: 14 },
    ]);
    expect(gapsOf([], 60, 30, 5)).toEqual([{ from: 0, until: 60 }]);
    expect(gapsOf([job("a", [0, 1])], 2, 1, 5)).toEqual([]);
  });
});

it("counts within a span", () => {
  expect(within(jobs, { from: 0, until: 15 })).toEqual({ firings: 3, jobs: 2 });
  expect(within(jobs, { from: 59, until: 60 })).toEqual({ firings: 6, jobs: 1 });
  expect(spanOf(3, 1, 15)).toEqual({ from: 15, until: 60 });
});

it("keeps groups together, in order", () => {
  const other = { ...job("d", [1]), namespace: "a" };
  expect(byGroup([...jobs, other]).map((one) => [one.space, one.group, one.jobs.length])).toEqual([
    ["a", "g", 1],
    ["default", "f", 1],
    ["default", "g", 2],
  ]);
});
