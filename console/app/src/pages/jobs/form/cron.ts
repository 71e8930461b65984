/** The fields of a cron expression, in the order of Quartz. */
export const cronFields = ["second", "minute", "hour", "day", "month", "weekday", "year"] as const;
export type CronFieldName = (typeof cronFields)[number];

/** The forms of an expression: fields and their order. */
export type CronForm = "quartz" | "unix";

/** The content of a cron field. Content that the editor cannot show as a form is kept as text. */
export type CronField =
  | { mode: "every" }
  | { mode: "none" }
  | { mode: "step"; from: number | null; step: number }
  | { mode: "range"; from: number; to: number }
  | { mode: "list"; values: number[] }
  | { mode: "last"; before: number }
  | { mode: "workday"; day: number | null }
  | { mode: "nth"; weekday: number; nth: number }
  | { mode: "lastOf"; weekday: number }
  | { mode: "text"; text: string };

export type CronMode = CronField["mode"];

/** An expression taken apart. */
export type Cron = { form: CronForm; fields: Partial<Record<CronFieldName, CronField>> };

/** The least and the largest value of a field. In Quartz Sunday is 1, in Unix 0. */
export function boundsOf(name: CronFieldName, form: CronForm): [least: number, most: number] {
  switch (name) {
    case "second":
    case "minute":
      return [0, 59];
    case "hour":
      return [0, 23];
    case "day":
      return [1, 31];
    case "month":
      return [1, 12];
    case "weekday":
      return form === "quartz" ? [1, 7] : [0, 6];
    case "year":
      return [1970, 2199];
  }
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** The day of a week that a number of an expression means, Sunday as 0. */
export function dayOfWeek(value: number, form: CronForm): number {
  return form === "quartz" ? value - 1 : value % 7;
}

function numberOf(text: string, name: CronFieldName, form: CronForm): number {
  const word = text.toUpperCase();
  if (name === "month" && months.includes(word)) return months.indexOf(word) + 1;
  if (name === "weekday" && weekdays.includes(word)) return weekdays.indexOf(word) + (form === "quartz" ? 1 : 0);
  if (!/^\d+$/.test(text)) return Number.NaN;
  const value = Number(text);
  if (name === "weekday" && form === "unix" && value === 7) return 0;
  const [least, most] = boundsOf(name, form);
  return value >= least && value <= most ? value : Number.NaN;
}

function listOf(text: string, name: CronFieldName, form: CronForm): number[] | null {
  const values: number[] = [];
  for (const part of text.split(",")) {
    const [first, last, ...others] = part.split("-");
    const from = numberOf(first ?? "", name, form);
    const to = last === undefined ? from : numberOf(last, name, form);
    if (others.length > 0 || Number.isNaN(from) || Number.isNaN(to) || to < from) return null;
    for (let value = from; value <= to; value += 1) values.push(value);
  }
  return [...new Set(values)].sort((a, b) => a - b);
}

function special(text: string, name: CronFieldName): CronField | null {
  const word = text.toUpperCase();
  if (name === "day") {
    const before = /^L(?:-(\d{1,2}))?$/.exec(word);
    if (before) return { mode: "last", before: Number(before[1] ?? 0) };
    if (word === "LW") return { mode: "workday", day: null };
    const near = /^(\d{1,2})W$/.exec(word);
    if (near) return { mode: "workday", day: Number(near[1]) };
  }
  if (name === "weekday") {
    const nth = /^(\w+)#([1-5])$/.exec(word);
    const weekday = numberOf(nth?.[1] ?? "", name, "quartz");
    if (nth && !Number.isNaN(weekday)) return { mode: "nth", weekday, nth: Number(nth[2]) };
    const last = /^(\d|[A-Z]{3})L$/.exec(word);
    const of = numberOf(last?.[1] ?? "", name, "quartz");
    if (last && !Number.isNaN(of)) return { mode: "lastOf", weekday: of };
  }
  return null;
}

/** Reads a field of an expression. */
export function parseField(text: string, name: CronFieldName, form: CronForm): CronField {
  if (text === "*") return { mode: "every" };
  if (text === "?") return { mode: "none" };
  const found = form === "quartz" ? special(text, name) : null;
  if (found) return found;
  const step = /^(\*|\w+)\/(\d+)$/.exec(text);
  if (step) {
    const from = step[1] === "*" ? null : numberOf(step[1] ?? "", name, form);
    // In Unix a value before a step is that value alone.
    if ((from === null || (form === "quartz" && !Number.isNaN(from))) && Number(step[2]) > 0) {
      return { mode: "step", from, step: Number(step[2]) };
    }
  }
  const range = /^(\w+)-(\w+)$/.exec(text);
  if (range) {
    const from = numberOf(range[1] ?? "", name, form);
    const to = numberOf(range[2] ?? "", name, form);
    if (!Number.isNaN(from) && !Number.isNaN(to)) return { mode: "range", from, to };
  }
  const values = listOf(text, name, form);
  return values ? { mode: "list", values } : { mode: "text", text };
}

/** Writes a field of an expression. A list of nothing is every value. */
export function formatField(field: CronField, name: CronFieldName, form: CronForm): string {
  const named = (value: number) =>
    name === "weekday" ? (weekdays[dayOfWeek(value, form)] ?? String(value)) : String(value);
  switch (field.mode) {
    case "every":
      return "*";
    case "none":
      return "?";
    case "step":
      return `${field.from ?? "*"}/${field.step}`;
    case "range":
      return `${named(field.from)}-${named(field.to)}`;
    case "list":
      return field.values.length === 0 ? "*" : field.values.map(named).join(",");
    case "last":
      return field.before > 0 ? `L-${field.before}` : "L";
    case "workday":
      return field.day === null ? "LW" : `${field.day}W`;
    case "nth":
      return `${named(field.weekday)}#${field.nth}`;
    case "lastOf":
      return `${field.weekday}L`;
    case "text":
      return field.text;
  }
}

const orders: Record<CronForm, readonly CronFieldName[]> = {
  quartz: cronFields,
  unix: ["minute", "hour", "day", "month", "weekday"],
};

/** The fields that an expression of a form has, in their order. */
export function fieldsOf(form: CronForm): readonly CronFieldName[] {
  return orders[form];
}

/** Takes an expression apart; null for a macro, or what has another number of fields. */
export function parseCron(text: string): Cron | null {
  const parts = text.trim().split(/\s+/);
  const form = parts.length === 5 ? "unix" : "quartz";
  if (parts.length < 5 || parts.length > 7) return null;
  const fields: Cron["fields"] = {};
  parts.forEach((part, at) => {
    const name = orders[form][at];
    if (name) fields[name] = parseField(part, name, form);
  });
  return { form, fields };
}

/** Puts an expression together. A year of every value is left out. */
export function formatCron(cron: Cron): string {
  return orders[cron.form]
    .filter((name) => name !== "year" || (cron.fields.year && cron.fields.year.mode !== "every"))
    .map((name) => formatField(cron.fields[name] ?? { mode: "every" }, name, cron.form))
    .join(" ");
}

/** Sets a field. Quartz needs `?` in one of the two day fields: the other one is set to it. */
export function withField(cron: Cron, name: CronFieldName, field: CronField): Cron {
  const fields = { ...cron.fields, [name]: field };
  if (cron.form === "quartz" && (name === "day" || name === "weekday")) {
    const other = name === "day" ? "weekday" : "day";
    if (field.mode === "none") {
      if (fields[other]?.mode === "none") fields[other] = { mode: "every" };
    } else {
      fields[other] = { mode: "none" };
    }
  }
  return { form: cron.form, fields };
}

/** The modes that a field has. */
export function modesOf(name: CronFieldName, form: CronForm): CronMode[] {
  const modes: CronMode[] = ["every", "step", "range", "list"];
  if (form === "quartz" && name === "day") modes.push("last", "workday", "none");
  if (form === "quartz" && name === "weekday") {
    modes.splice(1, 1);
    modes.push("nth", "lastOf", "none");
  }
  if (name === "year") modes.splice(1, 1);
  return [...modes, "text"];
}

/** The initial content of a field in a mode. */
export function startOf(mode: CronMode, name: CronFieldName, form: CronForm, was: CronField): CronField {
  const [least, most] = boundsOf(name, form);
  const from = name === "year" ? new Date().getFullYear() : least;
  switch (mode) {
    case "every":
    case "none":
      return { mode };
    case "step":
      return { mode, from: null, step: name === "hour" ? 2 : name === "day" || name === "month" ? 2 : 5 };
    case "range":
      return name === "hour"
        ? { mode, from: 9, to: 18 }
        : name === "weekday"
          ? { mode, from: form === "quartz" ? 2 : 1, to: form === "quartz" ? 6 : 5 }
          : { mode, from, to: name === "year" ? from + 1 : most };
    case "list":
      return { mode, values: was.mode === "range" && was.to >= was.from ? listed(was.from, was.to) : [from] };
    case "last":
      return { mode, before: 0 };
    case "workday":
      return { mode, day: null };
    case "nth":
      return { mode, weekday: 2, nth: 1 };
    case "lastOf":
      return { mode, weekday: 6 };
    case "text":
      return { mode, text: formatField(was, name, form) };
  }
}

function listed(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Expressions that many want, by the key of their word. */
export const cronPresets = [
  ["everyMinute", "0 * * * * ?"],
  ["every5Minutes", "0 0/5 * * * ?"],
  ["every15Minutes", "0 0/15 * * * ?"],
  ["everyHour", "0 0 * * * ?"],
  ["everyNight", "0 30 2 * * ?"],
  ["weekdays9", "0 0 9 ? * MON-FRI"],
  ["workHours", "0 0/30 9-18 ? * MON-FRI"],
  ["monday8", "0 0 8 ? * MON"],
  ["firstOfMonth", "0 0 6 1 * ?"],
  ["lastOfMonth", "0 0 22 L * ?"],
  ["lastWorkdayPreset", "0 0 18 LW * ?"],
  ["firstMonday", "0 0 7 ? * MON#1"],
  ["quarter", "0 0 5 1 1,4,7,10 ?"],
  ["newYear", "0 0 0 1 1 ?"],
] as const;

export type CronPreset = (typeof cronPresets)[number][0];
