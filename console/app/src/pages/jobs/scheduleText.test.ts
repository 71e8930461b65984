import { describe, expect, it } from "vitest";
import { translate } from "@/words";
import { cronText, scheduleNote, scheduleText, scheduleTextWords, weekdayName, zonesOf } from "./scheduleText";

const t = ((key: never, values: never) => translate(scheduleTextWords, key, values)) as Parameters<typeof cronText>[1];

describe("cronText", () => {
  it.each([
    ["*/10 * * * * ?", "Every 10 s"],
    ["0 * * * * ?", "Every minute"],
    ["0 0/5 * * * ?", "Every 5 min"],
    ["0 */5 * * * ?", "Every 5 min"],
    ["*/15 * * * *", "Every 15 min"],
    ["0 5 * * * ?", "Every hour at :05"],
    ["0 30 2 * * ?", "Daily at 02:30"],
    ["15 30 2 * * ?", "Daily at 02:30:15"],
    ["30 2 * * *", "Daily at 02:30"],
    ["0 0 9 ? * MON-FRI", "Mon–Fri at 09:00"],
    ["0 0 9 ? * 2,4", "Mon, Wed at 09:00"],
    ["0 9 * * 0", "Sun at 09:00"],
    ["0 0 6 1 * ?", "Day 1 of the month at 06:00"],
    ["0 0 22 L * ?", "Last day of the month at 22:00"],
  ])("%s is %s", (cron, said) => expect(cronText(cron, t, "en")).toBe(said));
  it.each([
    "0 0 6 1 1 ?",
    "0 0 7 ? * MON#1",
    "0 0 9-18 * * ?",
    "@daily",
    "nonsense",
    "0 0 0 * * ? 2030",
    "5 3/7 * * * ?",
  ])("%s has no short words", (cron) => expect(cronText(cron, t, "en")).toBeNull());
});

describe("scheduleText", () => {
  it.each([
    [{ kind: "every", every: "1m30s" }, "Every 1m30s"],
    [{ kind: "after", after: "10m0s" }, "10m after each run"],
    [{ kind: "once", delay: "5m0s" }, "Once, 5m after enabling"],
    [{ kind: "several", of: [{ kind: "cron" }, { kind: "every" }] }, "2 schedules"],
    [{ kind: "daily", daily: "09:00-18:00 every 5m" }, "09:00-18:00 every 5m"],
    [{ kind: "manual" }, "Manual"],
    [{ kind: "cron", cron: "0 0 7 ? * MON#1" }, "0 0 7 ? * MON#1"],
  ])("%j is %s", (schedule, said) => expect(scheduleText(schedule as never, t, "en")).toBe(said));
});

describe("weekdayName", () => {
  it.each([
    [0, "Sun"],
    [1, "Mon"],
    [6, "Sat"],
  ])("%d is %s", (day, name) => expect(weekdayName(day, "en")).toBe(name));
});

describe("scheduleNote", () => {
  const said = (schedule: Parameters<typeof scheduleText>[0]) =>
    scheduleNote(schedule, scheduleText(schedule, t, "en"));
  it.each<[string, Parameters<typeof scheduleText>[0], string]>([
    [
      "the expression and the zone",
      { kind: "cron", cron: "0 30 2 * * ?", zone: "Europe/Berlin" },
      "0 30 2 * * ? · Europe/Berlin",
    ],
    [
      "the zone alone where the expression is said",
      { kind: "cron", cron: "0 0 9 L-3 * ?", zone: "Asia/Shanghai" },
      "Asia/Shanghai",
    ],
    ["UTC where no zone is named", { kind: "cron", cron: "0 30 2 * * ?" }, "0 30 2 * * ? · UTC"],
    ["the zone of windows", { kind: "daily", daily: "09:00-17:00 every 5m", zone: "Asia/Tokyo" }, "Asia/Tokyo"],
    ["nothing of a period", { kind: "every", every: "5m", zone: "Asia/Tokyo" }, ""],
    [
      "the zone of a calendar's days",
      { kind: "every", every: "5m", zone: "Asia/Tokyo", calendars: ["jp"] },
      "Asia/Tokyo",
    ],
    ["nothing of a job that is run by hand", { kind: "manual" }, ""],
    ["nothing of an instant", { kind: "once", at: "2026-01-01T00:00:00.000Z" }, ""],
  ])("has %s", (_, schedule, note) => expect(said(schedule)).toBe(note));
  it("has each zone of several once", () =>
    expect(
      zonesOf({
        kind: "several",
        zone: "Asia/Shanghai",
        of: [
          { kind: "cron", cron: "0 0 9 * * ?", zone: "Europe/Berlin" },
          { kind: "daily", daily: "09:00-10:00 every 1m" },
          { kind: "cron", cron: "0 0 18 * * ?" },
          { kind: "every", every: "1h" },
        ],
      }),
    ).toEqual(["Europe/Berlin", "Asia/Shanghai"]));
});
