import type { Schema } from "@/api/types";

export type Rules = Schema<"Rules">;
export type Yearly = Schema<"Yearly">;

/** The days of the week as rules call them, in the order of Date.getUTCDay. */
export const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] as const;

/** The kind of rule that decides a day. */
export type By = "except" | "date" | "range" | "yearly" | "weekday" | "";

/** A day of a calendar: whether jobs may fire, by which rule, and the occasion. */
export type DayWord = { date: string; allowed: boolean; by: By; name: string };

const dayMs = 86_400_000;

/** The number of a day, counted from 1970-01-01; NaN for what is no day. */
export function numberOf(date: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!match) return Number.NaN;
  const ms = Date.parse(`${date}T00:00:00Z`);
  return Number.isFinite(ms) && dateOf(ms / dayMs) === date ? ms / dayMs : Number.NaN;
}

/** The day of a number: 2026-05-01. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** The day of the week of a number, Sunday is 0. */
export const weekdayOf = (day: number) => (((day + 4) % 7) + 7) % 7;

const dayIn = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day) / dayMs;
const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Easter Sunday by the Gregorian reckoning. */
function westernEaster(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const rest = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  return dayIn(year, 3, 22) + epact + weekday - 7 * late;
}

/** Easter Sunday by the Julian reckoning of the Orthodox churches. */
function orthodoxEaster(year: number): number {
  const epact = (19 * (year % 19) + 15) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7;
  const behind = Math.floor(year / 100) - Math.floor(year / 400) - 2;
  return dayIn(year, 3, 22) + epact + weekday + behind;
}

/** The day that a rule names in a year, before it is moved from a weekend; null when there is none. */
function ruleIn(rule: string, year: number): number | null {
  const feast = /^(easter|orthodox)([+-]\d{1,3})?$/i.exec(rule);
  if (feast) {
    const sunday = feast[1]?.toLowerCase() === "easter" ? westernEaster(year) : orthodoxEaster(year);
    return sunday + Number(feast[2] ?? 0);
  }
  const fixed = /^(\d{2})-(\d{2})$/.exec(rule);
  if (fixed) {
    const [month, day] = [Number(fixed[1]), Number(fixed[2])];
    return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) ? dayIn(year, month, day) : null;
  }
  const counted = /^(\d{2})-([A-Z]{3})(?:#([1-5])|(L))$/i.exec(rule);
  const weekday = weekdays.indexOf((counted?.[2]?.toUpperCase() ?? "") as (typeof weekdays)[number]);
  const month = Number(counted?.[1]);
  if (!counted || weekday < 0 || month < 1 || month > 12) return null;
  if (counted[4]) {
    const last = dayIn(year, month, daysIn(year, month));
    return last - ((weekdayOf(last) - weekday + 7) % 7);
  }
  const later = ((weekday - weekdayOf(dayIn(year, month, 1)) + 7) % 7) + 7 * (Number(counted[3]) - 1);
  return later < daysIn(year, month) ? dayIn(year, month, 1) + later : null;
}

/** The day on which a yearly rule is kept in a year; null when it is not. */
export function keptIn(yearly: Yearly, year: number): number | null {
  if ((yearly.from_year && year < yearly.from_year) || (yearly.to_year && year > yearly.to_year)) return null;
  const day = ruleIn(yearly.rule, year);
  if (day === null || !yearly.observed) return day;
  const weekday = weekdayOf(day);
  if (weekday === 0) return day + 1;
  if (weekday !== 6) return day;
  return yearly.observed === "nearest" ? day - 1 : day + 2;
}

/** Evaluates rules for each day of a year. A day with several names gets the one of the first rule. */
export function yearOf(rules: Rules, year: number): DayWord[] {
  const first = dayIn(year, 1, 1);
  const end = dayIn(year + 1, 1, 1);
  const words = new Map<number, { by: By; name: string }>();
  const tell = (day: number, by: By, name: string | undefined) => {
    if (day < first || day >= end) return;
    const known = words.get(day);
    if (!known || (known.name === "" && name && known.by !== "except")) words.set(day, { by, name: name ?? "" });
  };
  for (const one of rules.except ?? []) tell(numberOf(one.date), "except", one.name);
  for (const one of rules.dates ?? []) tell(numberOf(one.date), "date", one.name);
  for (const one of rules.ranges ?? []) {
    const last = Math.min(numberOf(one.to), end - 1);
    for (let day = Math.max(numberOf(one.from), first); day <= last; day++) tell(day, "range", one.name);
  }
  for (const one of rules.yearly ?? []) {
    for (let y = year - 1; y <= year + 1; y++) tell(keptIn(one, y) ?? Number.NaN, "yearly", one.name);
  }
  const named = new Set((rules.weekdays ?? []).map((one) => weekdays.indexOf(one as (typeof weekdays)[number])));
  const only = rules.mode === "only";
  return Array.from({ length: end - first }, (_, at) => {
    const day = first + at;
    const word = words.get(day) ?? { by: named.has(weekdayOf(day)) ? ("weekday" as const) : ("" as const), name: "" };
    const names = word.by !== "" && word.by !== "except";
    return { date: dateOf(day), allowed: names === only, ...word };
  });
}

/** The rules with one day turned: named when it was not, no longer named when it was. */
export function turned(rules: Rules, date: string): Rules {
  const without = (days: Rules["dates"]) => (days ?? []).filter((one) => one.date !== date);
  const has = (days: Rules["dates"]) => (days ?? []).some((one) => one.date === date);
  if (has(rules.except)) return { ...rules, except: without(rules.except) };
  if (has(rules.dates)) return { ...rules, dates: without(rules.dates) };
  const word = yearOf(rules, Number(date.slice(0, 4))).find((one) => one.date === date);
  const add = (days: Rules["dates"]) => [...(days ?? []), { date }].sort((a, b) => a.date.localeCompare(b.date));
  return word?.by ? { ...rules, except: add(rules.except) } : { ...rules, dates: add(rules.dates) };
}

type Planned = { calendars?: string[] | null; of?: Planned[] | null };

/** Whether a schedule names a calendar, in itself or in one of several. */
export function names(schedule: Planned | undefined, key: string): boolean {
  if (!schedule) return false;
  return (schedule.calendars ?? []).includes(key) || (schedule.of ?? []).some((one) => names(one, key));
}
