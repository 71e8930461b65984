import type { Job } from "@/api/types";

/** A parameter whose fields can be filled in one by one: a JSON object of texts, numbers, and yes or no. */
export type ParamFields = [name: string, value: string | number | boolean][];

/**
 * The parameter from which that of a run is written: the job's own, or the values of its inputs, which are all that a
 * run of such a job may be given.
 */
export function runParamOf(job: Pick<Job, "param" | "inputs">): string | undefined {
  if (!job.inputs?.length) return job.param;
  return JSON.stringify(Object.fromEntries(job.inputs.map((one) => [one.name, one.default ?? ""])));
}

/** The values of inputs in a parameter, as texts. */
function valuesIn(param: string | null): Record<string, string> {
  const fields = fieldsOfParam(param ?? "") ?? [];
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}

/** The value of an input in the parameter of a run, empty for none. */
export function inputValue(param: string | null, name: string): string {
  return valuesIn(param)[name] ?? "";
}

/** The parameter with the value of an input; an empty one is left out, and null is the parameter without any. */
export function withInput(param: string | null, name: string, value: string): string | null {
  const values = { ...valuesIn(param), [name]: value };
  const given = Object.entries(values).filter(([, one]) => one !== "");
  return given.length ? JSON.stringify(Object.fromEntries(given)) : null;
}

/** The inputs that need a value and have none in the parameter of a run. */
export function missingInputs(inputs: Job["inputs"], param: string | null): string[] {
  const given = valuesIn(param);
  return (inputs ?? []).filter((one) => one.default === undefined && !given[one.name]).map((one) => one.name);
}

/**
 * The parameter of a run divided into values that a job has inputs for, and the names of the others. `whole` says that
 * there is nothing else in it.
 */
export function fittingInputs(
  inputs: Job["inputs"],
  param: string | undefined,
): { param: string | null; others: string[]; whole: boolean } {
  const names = new Set((inputs ?? []).map((one) => one.name));
  const given = Object.entries(valuesIn(param ?? null));
  const kept = given.filter(([name, value]) => names.has(name) && value !== "");
  const others = given.map(([name]) => name).filter((name) => !names.has(name));
  return {
    whole: others.length === 0 && (given.length > 0 || !param || param.trim() === "{}"),
    others,
    param: kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : null,
  };
}

/** The fields of a parameter; null when it is no such object. */
export function fieldsOfParam(param: string): ParamFields | null {
  if (!param.trim().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(param);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const fields = Object.entries(value);
    const flat = fields.every(([, one]) => ["string", "number", "boolean"].includes(typeof one));
    return flat && fields.length > 0 && fields.length <= 32 ? (fields as ParamFields) : null;
  } catch {
    return null;
  }
}

/** The parameter with one field set; numbers stay numbers as long as they are typed as such. */
export function withParamField(param: string, name: string, value: string | boolean): string {
  const fields = fieldsOfParam(param);
  if (!fields) return param;
  const set = fields.map(([key, was]) => {
    if (key !== name) return [key, was] as const;
    const numeric = typeof was === "number" && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
    return [key, numeric ? Number(value) : value] as const;
  });
  return JSON.stringify(Object.fromEntries(set));
}
