import { expect, it } from "vitest";
import { readDays, readRanges, readYearly, writeDays, writeRanges, writeYearly } from "./lines";

it("reads days, and tells the lines that are none", () => {
  expect(readDays("2026-05-01 Labour Day\n\n2026-02-30\n 2026-05-04 \nmoon")).toEqual({
    items: [{ date: "2026-05-01", name: "Labour Day" }, { date: "2026-05-04" }],
    wrong: [3, 5],
  });
});

it("reads ranges", () => {
  expect(
    readRanges("2026-10-01..2026-10-07 国庆节\n2026-10-07..2026-10-01\n2026-10-01\n2026-01-01..2026-01-01"),
  ).toEqual({
    items: [
      { from: "2026-10-01", to: "2026-10-07", name: "国庆节" },
      { from: "2026-01-01", to: "2026-01-01" },
    ],
    wrong: [2, 3],
  });
});

it("reads yearly rules with what belongs to them", () => {
  expect(
    readYearly("12-25 Christmas | nearest | from 2020 | to 2030\neaster-2 Good | Holy Friday\n05-MONL\n5-1").items,
  ).toEqual([
    { rule: "12-25", name: "Christmas", observed: "nearest", from_year: 2020, to_year: 2030 },
    { rule: "easter-2", name: "Good | Holy Friday" },
    { rule: "05-MONL" },
  ]);
  expect(readYearly("5-1\n12-25 x\neaster+-1").wrong).toEqual([1, 3]);
});

it("writes what it reads", () => {
  const days = "2026-05-01 Labour Day\n2026-05-04";
  const ranges = "2026-10-01..2026-10-07 National Day\n2026-01-01..2026-01-02";
  const yearly = "12-25 Christmas | monday | from 2020 | to 2030\n11-THU#4 Thanksgiving\northodox+1";
  expect(writeDays(readDays(days).items)).toBe(days);
  expect(writeRanges(readRanges(ranges).items)).toBe(ranges);
  expect(writeYearly(readYearly(yearly).items)).toBe(yearly);
  expect(writeDays(null)).toBe("");
});
