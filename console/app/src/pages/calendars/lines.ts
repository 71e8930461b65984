import type { Schema } from "@/api/types";
import { numberOf } from "./rules";

type Day = Schema<"Day">;
type Range = Schema<"Range">;
type Yearly = Schema<"Yearly">;

/** What lines of text mean, and the numbers of those that mean nothing. */
export type Read<T> = { items: T[]; wrong: number[] };

function readLines<T>(text: string, read: (line: string) => T | null): Read<T> {
  const found: Read<T> = { items: [], wrong: [] };
  text.split("\n").forEach((line, at) => {
    if (line.trim() === "") return;
    const item = read(line.trim());
    if (item) found.items.push(item);
    else found.wrong.push(at + 1);
  });
  return found;
}

const named = (name: string | undefined) => (name?.trim() ? { name: name.trim() } : {});

/** Reads days: a date, and its name after a blank. */
export const readDays = (text: string): Read<Day> =>
  readLines(text, (line) => {
    const match = /^(\S+)(?:\s+(.*))?$/.exec(line);
    const date = match?.[1] ?? "";
    return Number.isFinite(numberOf(date)) ? { date, ...named(match?.[2]) } : null;
  });

/** Reads ranges: two dates with dots between, and their name. */
export const readRanges = (text: string): Read<Range> =>
  readLines(text, (line) => {
    const match = /^(\S+?)\.\.(\S+)(?:\s+(.*))?$/.exec(line);
    const [from, to] = [match?.[1] ?? "", match?.[2] ?? ""];
    return numberOf(from) <= numberOf(to) ? { from, to, ...named(match?.[3]) } : null;
  });

const ruleShape = /^(\d{2}-\d{2}|\d{2}-[A-Z]{3}(#[1-5]|L)|(easter|orthodox)([+-]\d{1,3})?)$/i;

/** Reads yearly rules: a rule, its name, and after bars how it is moved from weekends and its years. */
export const readYearly = (text: string): Read<Yearly> =>
  readLines(text, (line) => {
    const match = /^(\S+)(?:\s+(.*))?$/.exec(line);
    const rule = match?.[1] ?? "";
    if (!ruleShape.test(rule)) return null;
    const yearly: Yearly = { rule };
    let rest = match?.[2] ?? "";
    for (;;) {
      const option = /^(.*?)\s*\|\s*(?:(nearest|monday)|(from|to) (\d{4}))$/.exec(rest);
      if (!option) break;
      if (option[2]) yearly.observed = option[2];
      else if (option[3] === "from") yearly.from_year = Number(option[4]);
      else yearly.to_year = Number(option[4]);
      rest = option[1] ?? "";
    }
    return { ...yearly, ...named(rest) };
  });

const join = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(" ");

/** Writes days as readDays reads them. */
export const writeDays = (days: readonly Day[] | null | undefined) =>
  (days ?? []).map((one) => join([one.date, one.name])).join("\n");

/** Writes ranges as readRanges reads them. */
export const writeRanges = (ranges: readonly Range[] | null | undefined) =>
  (ranges ?? []).map((one) => join([`${one.from}..${one.to}`, one.name])).join("\n");

/** Writes yearly rules as readYearly reads them. */
export const writeYearly = (rules: readonly Yearly[] | null | undefined) =>
  (rules ?? [])
    .map((one) =>
      join([
        one.rule,
        one.name,
        one.observed && `| ${one.observed}`,
        one.from_year ? `| from ${one.from_year}` : undefined,
        one.to_year ? `| to ${one.to_year}` : undefined,
      ]),
    )
    .join("\n");
