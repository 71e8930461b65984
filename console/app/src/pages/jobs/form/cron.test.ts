import { describe, expect, it } from "vitest";
import {
  type CronField,
  cronPresets,
  fieldsOf,
  formatCron,
  formatField,
  modesOf,
  parseCron,
  parseField,
  startOf,
  withField,
} from "./cron";

describe("parseField", () => {
  it.each<[string, Parameters<typeof parseField>[1], Parameters<typeof parseField>[2], CronField]>([
    ["*", "minute", "quartz", { mode: "every" }],
    ["?", "day", "quartz", { mode: "none" }],
    ["*/5", "minute", "quartz", { mode: "step", from: null, step: 5 }],
    ["3/10", "second", "quartz", { mode: "step", from: 3, step: 10 }],
    ["3/10", "minute", "unix", { mode: "text", text: "3/10" }],
    ["9-18", "hour", "quartz", { mode: "range", from: 9, to: 18 }],
    ["22-2", "hour", "quartz", { mode: "range", from: 22, to: 2 }],
    ["1,3-5,3", "day", "quartz", { mode: "list", values: [1, 3, 4, 5] }],
    ["mon-fri", "weekday", "quartz", { mode: "range", from: 2, to: 6 }],
    ["MON-FRI", "weekday", "unix", { mode: "range", from: 1, to: 5 }],
    ["7", "weekday", "unix", { mode: "list", values: [0] }],
    ["JAN,jul", "month", "quartz", { mode: "list", values: [1, 7] }],
    ["L", "day", "quartz", { mode: "last", before: 0 }],
    ["L-3", "day", "quartz", { mode: "last", before: 3 }],
    ["LW", "day", "quartz", { mode: "workday", day: null }],
    ["15W", "day", "quartz", { mode: "workday", day: 15 }],
    ["6#3", "weekday", "quartz", { mode: "nth", weekday: 6, nth: 3 }],
    ["FRI#3", "weekday", "quartz", { mode: "nth", weekday: 6, nth: 3 }],
    ["6L", "weekday", "quartz", { mode: "lastOf", weekday: 6 }],
    ["60", "minute", "quartz", { mode: "text", text: "60" }],
    ["10-40/10", "minute", "quartz", { mode: "text", text: "10-40/10" }],
    ["1,L", "day", "quartz", { mode: "text", text: "1,L" }],
  ])("%s of %s in %s", (text, name, form, field) => expect(parseField(text, name, form)).toEqual(field));
});

describe("an expression", () => {
  it.each([
    "0 30 2 * * ?",
    "0 0/5 9-18 ? * MON-FRI",
    "*/10 * * L-2 1,4,7,10 ?",
    "0 0 12 ? * FRI#3 2030",
    "0 0 12 ? * 6L",
    "30 2 * * *",
    "*/15 9-17 1,15 * MON",
    "0 10-40/10 1 LW * ?",
  ])("%s is written as it was read", (text) => {
    const cron = parseCron(text);
    expect(cron && formatCron(cron)).toBe(text);
  });
  it.each(["", "@daily", "1 2 3", "1 2 3 4 5 6 7 8"])("%j is not taken apart", (text) =>
    expect(parseCron(text)).toBeNull(),
  );
  it.each(cronPresets)("the preset %s is one that the editor shows whole", (_, text) => {
    const cron = parseCron(text);
    expect(cron && formatCron(cron)).toBe(text);
    expect(Object.values(cron?.fields ?? {}).some((field) => field.mode === "text")).toBe(false);
  });
});

describe("withField", () => {
  const daily = parseCron("0 30 2 * * ?");
  if (!daily) throw new Error("no expression");
  it("gives the day to the field that names one", () =>
    expect(formatCron(withField(daily, "weekday", { mode: "range", from: 2, to: 6 }))).toBe("0 30 2 ? * MON-FRI"));
  it("never leaves both days without a word", () =>
    expect(formatCron(withField(daily, "day", { mode: "none" }))).toBe("0 30 2 ? * *"));
  it("adds a year, and takes it away", () => {
    const yearly = withField(daily, "year", { mode: "list", values: [2030] });
    expect(formatCron(yearly)).toBe("0 30 2 * * ? 2030");
    expect(formatCron(withField(yearly, "year", { mode: "every" }))).toBe("0 30 2 * * ?");
  });
  it("leaves the days of Unix alone", () => {
    const unix = parseCron("0 9 1 * *");
    if (!unix) throw new Error("no expression");
    expect(formatCron(withField(unix, "weekday", { mode: "list", values: [1] }))).toBe("0 9 1 * MON");
  });
});

describe("each mode of each field", () => {
  const all = (["quartz", "unix"] as const).flatMap((form) =>
    fieldsOf(form).flatMap((name) => modesOf(name, form).map((mode) => [form, name, mode] as const)),
  );
  it.each(all)("%s %s %s starts with what is read back as itself", (form, name, mode) => {
    const field = startOf(mode, name, form, { mode: "every" });
    const text = formatField(field, name, form);
    const expected = mode === "text" ? { mode: "every" } : field;
    expect(parseField(text, name, form)).toEqual(expected);
  });
});
