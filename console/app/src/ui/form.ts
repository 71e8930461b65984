import { zodResolver } from "@hookform/resolvers/zod";
import type { FieldValues, Path, UseFormProps, UseFormReturn } from "react-hook-form";
import { useForm } from "react-hook-form";
import type { z } from "zod";
import { type Problem, toProblem } from "@/api/problem";

/**
 * A form checked by a zod schema in the browser, and by the server when it is sent. Messages of the schema are
 * shown as they are: give words, not keys.
 */
export function useZodForm<S extends z.ZodType<FieldValues, FieldValues>>(
  schema: S,
  options: Omit<UseFormProps<z.input<S>, unknown, z.output<S>>, "resolver">,
): UseFormReturn<z.input<S>, unknown, z.output<S>> {
  return useForm<z.input<S>, unknown, z.output<S>>({ mode: "onTouched", ...options, resolver: zodResolver(schema) });
}

/** The field of a form that the server means: "retry.max_attempts" is tried as it is, then by its beginnings. */
export function fieldFor(named: string, fields: readonly string[], names: Record<string, string> = {}): string | null {
  const clean = named.replace(/^body\./, "").replace(/\[(\d+)\]/g, ".$1");
  const parts = clean.split(".");
  for (let length = parts.length; length > 0; length--) {
    const start = parts.slice(0, length).join(".");
    const mapped = names[start] ?? start;
    if (fields.includes(mapped)) return mapped;
  }
  return null;
}

/**
 * Puts what the server refused at the fields at fault, and returns the problem when some of it belongs to no
 * field: show that at the foot of the form. `names` maps fields of the API to those of the form.
 */
export function showProblem<T extends FieldValues, C, O>(
  form: UseFormReturn<T, C, O>,
  thrown: unknown,
  names: Record<string, string> = {},
): Problem | null {
  const problem = toProblem(thrown);
  const fields = Object.keys(form.getValues());
  let left = problem.fields.length === 0;
  for (const { field, detail } of problem.fields) {
    const target = fieldFor(field, flat(form.getValues(), fields), names);
    if (target) form.setError(target as Path<T>, { type: "server", message: detail }, { shouldFocus: true });
    else left = true;
  }
  return left ? problem : null;
}

/** The names of all fields, with those within others. */
function flat(values: Record<string, unknown>, names: string[], before = ""): string[] {
  return names.flatMap((name) => {
    const value = values[name];
    const path = before + name;
    if (typeof value !== "object" || value === null || value instanceof Date) return [path];
    const inner = value as Record<string, unknown>;
    return [path, ...flat(inner, Object.keys(inner), `${path}.`)];
  });
}
