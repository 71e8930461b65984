import type { Schema } from "@/api/types";
import { type ScopeValues, scopeOf, scopeValues } from "../scope";
import { shortTime } from "../time";

export type Rule = Schema<"AlarmRule">;
export type RuleBody = Schema<"NewAlarmRule">;
export type Kind = Rule["kinds"][number];

/** The kinds in the order in which forms have them. */
export const kinds = [
  "failed",
  "timed_out",
  "lost",
  "streak",
  "failure_rate",
  "slow",
  "not_started",
  "missed",
  "dead_letter",
  "backlog",
  "group_down",
] as const satisfies readonly Kind[];

/** Whether alarms of a kind are about a group of executors and not about a job. */
export const ofGroup = (kind: string) => kind === "backlog" || kind === "group_down";

/** What the kinds need; which input belongs to which of them, and what it is when it is left out. */
export const numbers = {
  count: { kinds: ["streak", "backlog"], usual: { streak: "3", backlog: "1000" } },
  percent: { kinds: ["failure_rate"], usual: { failure_rate: "50" } },
  window: { kinds: ["failure_rate"], usual: { failure_rate: "1h" } },
  min_runs: { kinds: ["failure_rate"], usual: { failure_rate: "5" } },
  longer: { kinds: ["slow"], usual: {} },
  factor: { kinds: ["slow"], usual: {} },
  within: { kinds: ["not_started"], usual: { not_started: "5m" } },
  for: { kinds: ["backlog", "group_down"], usual: { backlog: "2m", group_down: "2m" } },
} as const satisfies Record<string, { kinds: readonly Kind[]; usual: Partial<Record<Kind, string>> }>;

export type NumberName = keyof typeof numbers;
export const numberNames = Object.keys(numbers) as NumberName[];
const wholes: readonly NumberName[] = ["count", "percent", "min_runs", "factor"];

/** What an input is when it is left out. */
export function usual(name: NumberName, chosen: readonly Kind[]): string {
  const all: Partial<Record<Kind, string>> = numbers[name].usual;
  return chosen.map((kind) => all[kind]).find(Boolean) ?? "";
}

/** Whether one of the kinds goes by an input. */
export function needs(name: NumberName, chosen: readonly Kind[]): boolean {
  const by: readonly Kind[] = numbers[name].kinds;
  return chosen.some((kind) => by.includes(kind));
}

/** A step of an escalation in a form. */
export type Step = { id: number; after: string; channels: string[] };

/** A rule as the form has it: all that is typed is text. */
export type RuleValues = ScopeValues & {
  key: string;
  title: string;
  enabled: boolean;
  kinds: Kind[];
  severity: NonNullable<Rule["severity"]>;
  channels: string[];
  recovered: boolean;
  groupBy: NonNullable<Rule["group_by"]>;
  wait: string;
  interval: string;
  repeat: string;
  steps: Step[];
  numbers: Record<NumberName, string>;
};

/** What a form begins with: a rule, or one that suits most. */
export function valuesOf(rule?: Partial<Rule>): RuleValues {
  return {
    ...scopeValues(rule?.scope),
    key: rule?.key ?? "",
    title: rule?.title ?? "",
    enabled: rule?.enabled ?? true,
    kinds: rule?.kinds ?? ["failed", "timed_out", "lost"],
    severity: rule?.severity ?? "warning",
    channels: rule?.channels ?? [],
    recovered: rule ? Boolean(rule.recovered) : true,
    groupBy: rule?.group_by ?? "group",
    wait: shortTime(rule?.wait ?? ""),
    interval: shortTime(rule?.interval ?? ""),
    repeat: shortTime(rule?.repeat ?? ""),
    steps: (rule?.escalation ?? []).map((step, id) => ({ id, ...step, after: shortTime(step.after) })),
    numbers: Object.fromEntries(
      numberNames.map((name) => [name, shortTime(String(rule?.[name] ?? ""))]),
    ) as RuleValues["numbers"],
  };
}

/** The rule of a form, as the API takes it. What is left out, or belongs to no kind of it, has its default. */
export function bodyOf(values: RuleValues): RuleBody {
  const text = (name: "title" | "wait" | "interval" | "repeat") => {
    const typed = values[name].trim();
    return typed ? { [name]: typed } : {};
  };
  const scope = scopeOf(values);
  const body: Record<string, unknown> = {};
  for (const name of numberNames) {
    const typed = values.numbers[name].trim();
    if (!typed || !needs(name, values.kinds)) continue;
    const read = Number(typed);
    body[name] = wholes.includes(name) && Number.isFinite(read) ? read : typed;
  }
  return {
    key: values.key.trim(),
    enabled: values.enabled,
    kinds: values.kinds,
    severity: values.severity,
    channels: values.channels,
    group_by: values.groupBy,
    ...(values.recovered ? { recovered: true } : {}),
    ...text("title"),
    ...text("wait"),
    ...text("interval"),
    ...text("repeat"),
    ...(scope ? { scope } : {}),
    ...(values.steps.length > 0
      ? { escalation: values.steps.map(({ after, channels }) => ({ after: after.trim(), channels })) }
      : {}),
    ...body,
  };
}
