import { type FieldProblem, Problem } from "@/api/problem";

/** What is wrong with fields of a form, by their names. */
export type Faults = Readonly<Record<string, string | undefined>>;

/** A name of a field as the form has it: "body.of[1].cron" is "of.1.cron". */
export const plainName = (named: string): string => named.replace(/^body\./, "").replace(/\[(\d+)\]/g, ".$1");

/** The field of a form that the server means: "retry.max_attempts" is tried as it is, then by its beginnings. */
export function fieldFor(named: string, fields: readonly string[], names: Record<string, string> = {}): string | null {
  const parts = plainName(named).split(".");
  for (let length = parts.length; length > 0; length--) {
    const start = parts.slice(0, length).join(".");
    const mapped = names[start] ?? start;
    if (fields.includes(mapped)) return mapped;
  }
  return null;
}

/** A refusal, divided into what belongs to fields of the form and what belongs to none. */
export type AssignedFaults = { at: Record<string, string>; left: Problem | null };

/** Finds the fields that a refusal is about. What belongs to no field that the form shows is left. */
export function assignFaults(
  problem: Problem | null,
  fields: readonly string[],
  names?: Record<string, string>,
): AssignedFaults {
  if (!problem) return { at: {}, left: null };
  const at: Record<string, string> = {};
  const left: FieldProblem[] = [];
  for (const one of problem.fields) {
    const field = fieldFor(one.field, fields, names);
    if (field === null) left.push(one);
    else at[field] = at[field] ? `${at[field]} ${one.detail}` : one.detail;
  }
  if (left.length === problem.fields.length) return { at, left: problem };
  return { at, left: left.length > 0 ? problem.only(left) : null };
}

/** The faults that are some, with those of `over` in place of others of the same name. */
export function mergeFaults(faults: Faults, over: Faults): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, text] of [...Object.entries(faults), ...Object.entries(over)]) if (text) all[name] = text;
  return all;
}

/** Errors, in the form the server reports them, of fields that the form does not show. */
export function asProblem(faults: Readonly<Record<string, string>>): Problem | null {
  const errors = Object.entries(faults).map(([field, detail]) => ({ field, detail }));
  return errors.length > 0 ? new Problem(422, { code: "invalid", errors }) : null;
}
