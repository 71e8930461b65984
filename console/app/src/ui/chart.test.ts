import { describe, expect, it, vi } from "vitest";

vi.mock("uplot", () => ({ default: {} }));
vi.mock("uplot/dist/uPlot.min.css", () => ({}));

const { stacked, tickWord } = await import("./TimeChartInner");
const { linePath } = await import("./Sparkline");
const { hasValues } = await import("./TimeChart");

describe("hasValues", () => {
  const of = (values: (number | null)[]) => [{ label: "", tone: "good" as const, values }];
  it("is false where only axes would be drawn", () => {
    expect(hasValues({ series: [] })).toBe(false);
    expect(hasValues({ series: of([null, null]) })).toBe(false);
    expect(hasValues({ kind: "bars", series: of([0, null, 0]) })).toBe(false);
  });
  it("is true for a bar, and for a point of a line even at 0", () => {
    expect(hasValues({ kind: "bars", series: of([0, 1]) })).toBe(true);
    expect(hasValues({ kind: "lines", series: of([null, 0]) })).toBe(true);
  });
});

describe("stacked", () => {
  it("lays one above the other", () => {
    const of = (values: (number | null)[]) => ({ label: "", tone: "good" as const, values });
    expect(stacked([of([1, 2, null]), of([3, null, 5])])).toEqual([
      [1, 2, 0],
      [4, 2, 5],
    ]);
  });
});

describe("tickWord", () => {
  const hour = 3_600_000;
  const at = Date.UTC(2026, 2, 28, 20);
  const ticks = Array.from({ length: 6 }, (_, index) => at + index * hour);
  it("tells the day where one begins", () =>
    expect(ticks.map((tick, index) => tickWord(tick, ticks, index, "Europe/Berlin"))).toEqual([
      "21:00",
      "22:00",
      "23:00",
      "03-29",
      "01:00",
      "03:00",
    ]));
  it("tells days when they are far apart", () => expect(tickWord(at, [at, at + 24 * hour], 0, "UTC")).toBe("03-28"));
});

describe("linePath", () => {
  it("begins anew after a gap", () =>
    expect(linePath([0, 10, Number.NaN, 5], 30, 10)).toBe("M0.0 10.0L10.0 0.0M30.0 5.0"));
  it("has no line of nothing", () => expect(linePath([Number.NaN], 30, 10)).toBe(""));
});
