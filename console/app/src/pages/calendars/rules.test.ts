import { describe, expect, it } from "vitest";
import { type DayWord, dateOf, keptIn, names, numberOf, type Rules, turned, weekdayOf, yearOf } from "./rules";

const on = (rules: Rules, date: string): DayWord => {
  const found = yearOf(rules, Number(date.slice(0, 4))).find((one) => one.date === date);
  if (!found) throw new Error(`${date} is not in its year`);
  return found;
};

describe("days", () => {
  it.each([
    ["1970-01-01", 0],
    ["2024-02-29", 19782],
    ["2023-02-29", Number.NaN],
    ["2024-2-1", Number.NaN],
  ])("%s is %d", (date, day) => {
    expect(numberOf(date)).toBe(day);
    if (Number.isFinite(day)) expect(dateOf(day)).toBe(date);
  });

  it("knows weekdays, also before 1970", () => {
    expect(weekdayOf(numberOf("2026-11-22"))).toBe(0);
    expect(weekdayOf(numberOf("1969-12-31"))).toBe(3);
  });
});

describe("yearly rules", () => {
  it.each([
    ["12-25", undefined, 2026, "2026-12-25"],
    ["02-29", undefined, 2026, null],
    ["02-29", undefined, 2028, "2028-02-29"],
    ["11-THU#4", undefined, 2026, "2026-11-26"],
    ["02-MON#5", undefined, 2026, null],
    ["05-MONL", undefined, 2026, "2026-05-25"],
    ["easter", undefined, 2024, "2024-03-31"],
    ["easter", undefined, 2026, "2026-04-05"],
    ["easter-2", undefined, 2030, "2030-04-19"],
    ["orthodox", undefined, 2024, "2024-05-05"],
    ["orthodox+1", undefined, 2026, "2026-04-13"],
    ["07-04", "nearest", 2026, "2026-07-03"],
    ["07-04", "monday", 2026, "2026-07-06"],
    ["07-04", "nearest", 2027, "2027-07-05"],
    ["13-01", undefined, 2026, null],
    ["moon", undefined, 2026, null],
  ])("%s %s in %d is %s", (rule, observed, year, date) => {
    const day = keptIn({ rule, observed }, year);
    expect(day === null ? null : dateOf(day)).toBe(date);
  });

  it("are bounded by years", () => {
    const rule = { rule: "12-25", from_year: 2025, to_year: 2026 };
    expect([2024, 2025, 2026, 2027].map((year) => keptIn(rule, year) !== null)).toEqual([false, true, true, false]);
  });

  it("may be kept in the year before", () => {
    expect(on({ yearly: [{ rule: "01-01", observed: "nearest", name: "New Year" }] }, "2027-12-31")).toMatchObject({
      allowed: false,
      name: "New Year",
    });
  });
});

describe("yearOf", () => {
  const rules: Rules = {
    weekdays: ["SAT", "SUN"],
    dates: [{ date: "2026-05-01", name: "Labour Day" }, { date: "2026-05-04" }],
    ranges: [{ from: "2026-10-01", to: "2026-10-07", name: "Golden Week" }],
    yearly: [
      { rule: "05-01", name: "May Day" },
      { rule: "05-04", name: "Youth Day" },
    ],
    except: [{ date: "2026-10-10", name: "makes up" }],
  };

  it.each([
    ["2026-04-30", true, "", ""],
    ["2026-05-01", false, "date", "Labour Day"],
    ["2026-05-04", false, "yearly", "Youth Day"],
    ["2026-10-03", false, "range", "Golden Week"],
    ["2026-10-10", true, "except", "makes up"],
    ["2026-10-11", false, "weekday", ""],
    ["2027-05-01", false, "yearly", "May Day"],
  ])("%s is allowed: %s, by %s %s", (date, allowed, by, name) => {
    expect(on(rules, date)).toEqual({ date, allowed, by, name });
    expect(on({ ...rules, mode: "only" }, date).allowed).toBe(!allowed);
  });

  it("has each day of the year once", () => {
    expect(yearOf({}, 2028)).toHaveLength(366);
    expect(yearOf({}, 2026).every((one) => one.allowed)).toBe(true);
  });
});

describe("turned", () => {
  it.each(["2026-05-01", "2026-05-02", "2026-05-05"])("turns %s and back", (date) => {
    const rules: Rules = { weekdays: ["SAT"], dates: [{ date: "2026-05-05" }], yearly: [{ rule: "05-01" }] };
    const once = turned(rules, date);
    expect(on(once, date).allowed).toBe(!on(rules, date).allowed);
    expect(on(turned(once, date), date).allowed).toBe(on(rules, date).allowed);
  });
});

it("finds who names a calendar", () => {
  expect(names(undefined, "cn")).toBe(false);
  expect(names({ calendars: ["cn"] }, "cn")).toBe(true);
  expect(names({ of: [{ calendars: null }, { calendars: ["cn"] }] }, "cn")).toBe(true);
  expect(names({ of: [{ calendars: ["de"] }] }, "cn")).toBe(false);
});
