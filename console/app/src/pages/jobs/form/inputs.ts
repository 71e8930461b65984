import type { Job, Schema } from "@/api/types";

type ApiInput = Schema<"Input">;

/** An input as a row of the form. */
export type InputRow = {
  name: string;
  type: NonNullable<ApiInput["type"]>;
  description: string;
  /** Whether each run is given a value; a required input has no default. */
  required: boolean;
  default: string;
  options: string[];
  pattern: string;
  min: string;
  max: string;
};

export const inputTypes = ["text", "integer", "number", "boolean"] as const;

/** Limit of the server. */
export const mostInputs = 32;

/** A row without anything. Only runs by hand can be given the value of a required input. */
export function emptyInput(manual: boolean): InputRow {
  return {
    name: "",
    type: "text",
    description: "",
    required: manual,
    default: "",
    options: [],
    pattern: "",
    min: "",
    max: "",
  };
}

/** The rows of the inputs of a job. */
export function rowsOf(inputs: Job["inputs"]): InputRow[] {
  const typed = (value: number | undefined) => (value === undefined ? "" : String(value));
  return (inputs ?? []).map((one) => ({
    name: one.name,
    type: one.type ?? "text",
    description: one.description ?? "",
    required: one.default === undefined,
    default: one.default ?? "",
    options: one.options ?? [],
    pattern: one.pattern ?? "",
    min: typed(one.min),
    max: typed(one.max),
  }));
}

/** The inputs of rows as the API takes them; undefined for none. */
export function inputsOf(rows: readonly InputRow[]): ApiInput[] | undefined {
  const number = (text: string) => (text.trim() === "" ? undefined : Number(text));
  if (rows.length === 0) return undefined;
  return rows.map((row) => ({
    name: row.name.trim(),
    type: row.type === "text" ? undefined : row.type,
    description: row.description.trim() || undefined,
    default: row.required ? undefined : row.default,
    options: row.options.length > 0 ? row.options : undefined,
    pattern: row.pattern || undefined,
    min: row.type === "boolean" ? undefined : number(row.min),
    max: row.type === "boolean" ? undefined : number(row.max),
  }));
}
