/** The zone of the viewer. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = cache.get(key) ?? new Intl.DateTimeFormat(language, options);
  cache.set(key, known);
  return known;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** How long ago, or in how long: "3 min. ago", "in 2 hr.". */
export function relative(ms: number, now: number, language: string): string {
  const seconds = Math.trunc((ms - now) / 1_000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** An instant to the second: 2026-03-29 02:30:00, in a zone. The order is the same in all languages. */
export function absolute(ms: number, timeZone = zone, withMillis = false): string {
  const parts = formatter("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: withMillis ? 3 : undefined,
  }).formatToParts(ms);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const millis = withMillis ? `.${of("fractionalSecond")}` : "";
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}:${of("second")}${millis}`;
}

/** The zone's offset at an instant: GMT+2. */
export function offset(ms: number, timeZone = zone): string {
  const parts = formatter("en", { timeZone, timeZoneName: "shortOffset" }).formatToParts(ms);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? "";
}

const steps: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, µs: 0.001, us: 0.001, ns: 0.000001 };

/** The milliseconds of a duration of the API, such as 1m30s; NaN for what is none. */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^-?(\d+(\.\d+)?(h|ms|m|s|µs|us|ns))+$/.test(trimmed)) return Number.NaN;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)) {
    total += Number(count) * (steps[unit ?? ""] ?? 0);
  }
  return trimmed.startsWith("-") ? -total : total;
}

/** A duration as people read it, with at most two units: 840 ms, 4.2 s, 3 m 20 s, 2 h 5 m, 3 d 4 h. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms > -1 && ms < 1) return ms === 0 ? "0 ms" : "<1 ms"; // below the precision of clocks
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return two(seconds, 60, "m", 1, "s");
  if (seconds < 86_400) return two(seconds, 3_600, "h", 60, "m");
  return two(seconds, 86_400, "d", 3_600, "h");
}

function two(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % big) / small);
  return `${Math.floor(seconds / big)} ${bigName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

/** A number with separators. */
export function count(value: number, language: string): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A large number in few signs: 12.3K. */
export function short(value: number, language: string): string {
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** A share between 0 and 1; never 100 % unless it is all. */
export function percent(share: number, language: string): string {
  const floored = share < 1 ? Math.min(Math.floor(share * 1_000) / 1_000, 0.999) : 1;
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(floored);
}

/** A size in bytes: 4.2 MiB. */
export function bytes(size: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = size < 1 ? 0 : Math.min(Math.floor(Math.log2(size) / 10), names.length - 1);
  const value = size / 2 ** (10 * power);
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[power]}`;
}
