import { describe, expect, it } from "vitest";
import { absolute, bytes, duration, offset, parseDuration, percent, relative } from "./format";

const now = Date.UTC(2026, 2, 29, 0, 30, 0);

describe("relative", () => {
  it.each([
    [now, "now"],
    [now - 5_000, "5 sec. ago"],
    [now + 90_000, "in 1 min."],
    [now - 3 * 3_600_000, "3 hr. ago"],
    [now + 86_400_000, "tomorrow"],
    [now - 40 * 86_400_000, "last mo."],
  ])("%d is %s", (ms, said) => expect(relative(ms, now, "en")).toBe(said));
  it("speaks Chinese", () => expect(relative(now - 180_000, now, "zh-CN")).toBe("3分钟前"));
});

describe("absolute", () => {
  it("tells the time of a zone", () => expect(absolute(now, "Asia/Shanghai")).toBe("2026-03-29 08:30:00"));
  it("knows the hour that clocks skip", () => {
    expect(absolute(now, "Europe/Berlin")).toBe("2026-03-29 01:30:00");
    expect(absolute(now + 3_600_000, "Europe/Berlin")).toBe("2026-03-29 03:30:00");
    expect(offset(now, "Europe/Berlin")).toBe("GMT+1");
    expect(offset(now + 3_600_000, "Europe/Berlin")).toBe("GMT+2");
  });
  it("has midnight as 00", () => expect(absolute(Date.UTC(2026, 0, 1), "UTC", true)).toBe("2026-01-01 00:00:00.000"));
});

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["1.5s", 1_500],
    ["1m30s", 90_000],
    ["2h0m0.25s", 7_200_250],
    ["12ms", 12],
    ["-5m", -300_000],
  ])("%s", (text, ms) => expect(parseDuration(text)).toBeCloseTo(ms, 6));
  it.each(["", "5", "m", "1d", "1 s", "5 minutes"])("%j is none", (text) => expect(parseDuration(text)).toBeNaN());
});

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "<1 ms"],
    [-0.4, "<1 ms"],
    [-1_500, "-1.5 s"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [9_949, "9.9 s"],
    [9_960, "10 s"],
    [59_400, "59 s"],
    [59_600, "1 m"],
    [200_000, "3 m 20 s"],
    [7_500_000, "2 h 5 m"],
    [273_600_000, "3 d 4 h"],
    [-1_500, "-1.5 s"],
    [Number.NaN, "–"],
  ])("%d ms is %s", (ms, said) => expect(duration(ms)).toBe(said));
});

describe("percent", () => {
  it("is never all when it is not", () => expect(percent(0.99999, "en")).toBe("99.9%"));
  it.each([
    [1, "100%"],
    [0, "0%"],
    [0.5, "50%"],
  ])("%d", (share, said) => expect(percent(share, "en")).toBe(said));
});

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [4_404_019, "4.2 MiB"],
    [1024 ** 3 * 150, "150 GiB"],
  ])("%d", (size, said) => expect(bytes(size)).toBe(said));
});
