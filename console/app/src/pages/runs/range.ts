/** Ranges of time that are named. They move with the clock: a kept address shows today of the day on which it is opened. */
export const presets = [
  "hour",
  "day",
  "today",
  "yesterday",
  "week",
  "this_week",
  "last_week",
  "this_month",
  "last_month",
  "month",
] as const;
export type Preset = (typeof presets)[number];

/** A range in ms: from its begin up to, not with, its end. An end that is absent is open. */
export type TimeRange = { from?: number; to?: number };

const hour = 3_600_000;

/** The range of a name at an instant, by the days of the viewer's zone. Weeks begin on Monday. */
export function rangeOf(preset: Preset, now: number): TimeRange {
  const day = new Date(now);
  const midnight = (shift: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + shift).getTime();
  const month = (shift: number) => new Date(day.getFullYear(), day.getMonth() + shift, 1).getTime();
  const monday = -((day.getDay() + 6) % 7);
  switch (preset) {
    case "hour":
      return { from: now - hour };
    case "day":
      return { from: now - 24 * hour };
    case "week":
      return { from: now - 7 * 24 * hour };
    case "month":
      return { from: now - 30 * 24 * hour };
    case "today":
      return { from: midnight(0) };
    case "yesterday":
      return { from: midnight(-1), to: midnight(0) };
    case "this_week":
      return { from: midnight(monday) };
    case "last_week":
      return { from: midnight(monday - 7), to: midnight(monday) };
    case "this_month":
      return { from: month(0) };
    case "last_month":
      return { from: month(-1), to: month(0) };
  }
}

/** What an input for local dates and times holds of an instant: 2026-03-08T02:30. */
export function localOf(instant: string | undefined): string {
  const ms = Date.parse(instant ?? "");
  if (!Number.isFinite(ms)) return "";
  const d = new Date(ms);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}`;
}

/** The instant of such an input; undefined for an empty one. */
export function instantOf(local: string): string | undefined {
  const ms = Date.parse(local);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}
