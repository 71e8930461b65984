import type { Schema } from "@/api/types";
import { type ScopeValues, scopeOf, scopeValues } from "../scope";
import { shortTime } from "../time";

export type Silence = Schema<"AlarmSilence">;
export type SilenceBody = Schema<"NewAlarmSilence">;
export type SilenceKind = NonNullable<Silence["kinds"]>[number];

/** A silence as the form has it: instants as the API has them, "" for none. */
export type SilenceValues = ScopeValues & {
  comment: string;
  kinds: SilenceKind[];
  rules: string[];
  /** It comes again. */
  again: boolean;
  from: string;
  until: string;
  cron: string;
  zone: string;
  length: string;
};

/** How a silence stands: it holds messages back, it will, or it never will again. */
export function standing(one: Silence): "active" | "coming" | "over" {
  if (one.active) return "active";
  return one.begins_at ? "coming" : "over";
}

/** An instant so many hours later, as the API has it. */
export function hoursFrom(ms: number, hours: number): string {
  return new Date(ms + hours * 3_600_000).toISOString();
}

/** What a form begins with: a silence like another one, or one for the next two hours. */
export function valuesOf(like: Silence | undefined, again: boolean, zone: string, now: number): SilenceValues {
  return {
    ...scopeValues(like?.scope),
    comment: like?.comment ?? "",
    kinds: like?.kinds ?? [],
    rules: like?.rules ?? [],
    again: like ? Boolean(like.cron) : again,
    from: "",
    until: like ? (like.cron ? (like.until ?? "") : hoursFrom(now, 2)) : again ? "" : hoursFrom(now, 2),
    cron: like?.cron ?? "",
    zone: like?.zone ?? zone,
    length: like?.length ? shortTime(like.length) : again ? "3h" : "",
  };
}

/** The silence of a form, as the API takes it. */
export function bodyOf(values: SilenceValues): SilenceBody {
  const scope = scopeOf(values);
  return {
    comment: values.comment.trim(),
    ...(values.kinds.length > 0 ? { kinds: values.kinds } : {}),
    ...(values.rules.length > 0 ? { rules: values.rules } : {}),
    ...(scope ? { scope } : {}),
    ...(values.from ? { from: values.from } : {}),
    ...(values.until ? { until: values.until } : {}),
    ...(values.again
      ? {
          cron: values.cron.trim(),
          ...(values.length.trim() ? { length: values.length.trim() } : {}),
          ...(values.zone ? { zone: values.zone } : {}),
        }
      : {}),
  };
}
