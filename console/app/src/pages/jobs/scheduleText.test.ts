import { describe, expect, it } from "vitest";
import { say } from "@/words";
import { cronText, scheduleText, scheduleTextWords, weekdayName } from "./scheduleText";

const t = ((key: never, values: never) => say(scheduleTextWords, key, values)) as Parameters<typeof cronText>[1];

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
    [{ kind: "once", delay: "5m0s" }, "Once, 5m after the start"],
    [{ kind: "several", of: [{ kind: "cron" }, { kind: "every" }] }, "2 schedules"],
    [{ kind: "daily", daily: "09:00-18:00 every 5m" }, "09:00-18:00 every 5m"],
    [{ kind: "manual" }, "By hand"],
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
