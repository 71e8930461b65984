/** A parameter whose fields can be filled in one by one: a JSON object of texts, numbers, and yes or no. */
export type ParamFields = [name: string, value: string | number | boolean][];

/** The fields of a parameter; null when it is no such object. */
export function fieldsOfParam(param: string): ParamFields | null {
  if (!param.trim().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(param);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const fields = Object.entries(value);
    const flat = fields.every(([, one]) => ["string", "number", "boolean"].includes(typeof one));
    return flat && fields.length > 0 && fields.length <= 30 ? (fields as ParamFields) : null;
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
