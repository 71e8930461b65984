import type { Schema } from "@/api/types";
import { absolute } from "@/ui/format";
import { type Translate, words } from "@/words";
import { type CronFieldName, dayOfWeek, parseCron } from "./form/cron";
import { shortDuration } from "./form/values";

type Schedule = Schema<"Schedule">;

/** Words of schedules as lists show them: short, and the same for the same schedule. */
export const scheduleTextWords = words("jobs.schedule", {
  manual: ["Manual", "手动", "手動"],
  every: ["Every {{n}}", "每 {{n}}", "每 {{n}}"],
  after: ["{{n}} after each run", "每次结束后 {{n}}", "每次結束後 {{n}}"],
  onceAt: ["Once, {{at}}", "一次，{{at}}", "一次，{{at}}"],
  onceIn: ["Once, {{n}} after enabling", "一次，启动后 {{n}}", "一次，啟動後 {{n}}"],
  several: ["{{n}} schedules", "{{n}} 个调度", "{{n}} 個排程"],
  everySeconds: ["Every {{n}} s", "每 {{n}} 秒", "每 {{n}} 秒"],
  everyMinute: ["Every minute", "每分钟", "每分鐘"],
  everyMinutes: ["Every {{n}} min", "每 {{n}} 分钟", "每 {{n}} 分鐘"],
  everyHour: ["Every hour at :{{m}}", "每小时 {{m}} 分", "每小時 {{m}} 分"],
  within: ["{{hours}} every {{n}}", "{{hours}} 每 {{n}}", "{{hours}} 每 {{n}}"],
  daily: ["Daily at {{at}}", "每天 {{at}}", "每天 {{at}}"],
  weekly: ["{{days}} at {{at}}", "{{days}} {{at}}", "{{days}} {{at}}"],
  monthly: ["Day {{day}} of the month at {{at}}", "每月 {{day}} 日 {{at}}", "每月 {{day}} 日 {{at}}"],
  lastDay: ["Last day of the month at {{at}}", "每月最后一天 {{at}}", "每月最後一天 {{at}}"],
});

type ScheduleSay = Translate<keyof (typeof scheduleTextWords)["entries"] & string>;

/** The name of a day of the week, Sunday as 0. */
export function weekdayName(day: number, language: string, style: "short" | "long" = "short"): string {
  // The first of February 1970 was a Sunday.
  return new Intl.DateTimeFormat(language, { weekday: style, timeZone: "UTC" }).format(Date.UTC(1970, 1, 1 + day));
}

/** The name of a month, January as 1. */
export function monthName(month: number, language: string): string {
  return new Intl.DateTimeFormat(language, { month: "short", timeZone: "UTC" }).format(Date.UTC(1970, month - 1, 1));
}

/** A cron expression in a few words; null when it is not one of those that have some. */
export function cronText(expression: string, t: ScheduleSay, language: string): string | null {
  const cron = parseCron(expression);
  if (!cron) return null;
  const of = (name: CronFieldName) => cron.fields[name];
  const all = (name: CronFieldName) => ["every", "none", undefined].includes(of(name)?.mode);
  const single = (name: CronFieldName) => {
    const field = of(name);
    return field?.mode === "list" && field.values.length === 1 ? field.values[0] : undefined;
  };
  const step = (name: CronFieldName) => {
    const field = of(name);
    if (field?.mode === "every") return 1;
    return field?.mode === "step" && (field.from === null || field.from === 0) ? field.step : undefined;
  };
  if (!all("month") || !all("year")) return null;
  const second = cron.form === "unix" ? 0 : single("second");
  const everyDay = all("day") && all("weekday");
  if (everyDay && all("hour") && of("hour")?.mode === "every") {
    const seconds = of("minute")?.mode === "every" ? step("second") : undefined;
    if (cron.form === "quartz" && seconds) return t("everySeconds", { n: seconds });
    const minutes = step("minute");
    if (second === 0 && minutes) return minutes === 1 ? t("everyMinute") : t("everyMinutes", { n: minutes });
    const at = single("minute");
    if (second === 0 && at !== undefined) return t("everyHour", { m: String(at).padStart(2, "0") });
  }
  const [hour, minute] = [single("hour"), single("minute")];
  if (second === undefined || hour === undefined || minute === undefined) return null;
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  const at = parts.map((part) => String(part).padStart(2, "0")).join(":");
  if (everyDay) return t("daily", { at });
  const [day, weekday] = [of("day"), of("weekday")];
  if (all("weekday") && day?.mode === "last" && day.before === 0) return t("lastDay", { at });
  const date = single("day");
  if (all("weekday") && date !== undefined) return t("monthly", { day: date, at });
  const named = (value: number) => weekdayName(dayOfWeek(value, cron.form), language);
  if (!all("day")) return null;
  if (weekday?.mode === "range") return t("weekly", { days: `${named(weekday.from)}–${named(weekday.to)}`, at });
  if (weekday?.mode === "list") return t("weekly", { days: weekday.values.map(named).join(", "), at });
  return null;
}

/** Windows of a day: 09:00-17:00 every 5m, and what else there is after a comma. */
function dailyText(daily: string, t: ScheduleSay): string {
  return daily.replace(/(\S+) every (\w+)/g, (_, hours: string, n: string) => t("within", { hours, n }));
}

/** The zones of a schedule's wall times; none for a schedule whose times are the same everywhere. */
export function zonesOf({ kind, zone, of = [], calendars = [] }: Schedule): string[] {
  const own = zone || "UTC";
  if (kind === "several") {
    const members = of.flatMap((one) => zonesOf({ ...one, zone: one.zone || zone }));
    return [...new Set([...members, ...(calendars.length > 0 ? [own] : [])])];
  }
  return kind === "cron" || kind === "daily" || calendars.length > 0 ? [own] : [];
}

/**
 * What lists say of a schedule in small print: its expression, unless that is what they say in large, and the zone of
 * its times, as `0 30 2 * * ? · Europe/Berlin`.
 */
export function scheduleNote(schedule: Schedule, said: string): string {
  const expression = schedule.kind === "cron" && schedule.cron !== said ? schedule.cron : undefined;
  return [expression, zonesOf(schedule).join(", ")].filter(Boolean).join(" · ");
}

/** A schedule in a few words. */
export function scheduleText(schedule: Schedule, t: ScheduleSay, language: string): string {
  switch (schedule.kind) {
    case "cron":
      return cronText(schedule.cron ?? "", t, language) ?? schedule.cron ?? "";
    case "every":
      return t("every", { n: shortDuration(schedule.every) });
    case "after":
      return t("after", { n: shortDuration(schedule.after) });
    case "daily":
      return dailyText(schedule.daily ?? "", t);
    case "once":
      if (schedule.delay) return t("onceIn", { n: shortDuration(schedule.delay) });
      return t("onceAt", { at: absolute(Date.parse(schedule.at ?? "")) });
    case "several":
      return t("several", { n: schedule.of?.length ?? 0 });
    default:
      return t("manual");
  }
}
