/** What the address bar holds: texts, and lists of texts. */
export type Raw = Record<string, string | string[] | undefined>;

/** Reads the query of an address: a name that comes twice is a list. */
export function parseSearch(text: string): Raw {
  const raw: Raw = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = raw[name];
    raw[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return raw;
}

/** Writes the query of an address. What is absent, empty or false is left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") out.append(name, String(one));
    }
  }
  const text = out.toString();
  return text ? `?${text}` : "";
}

/** A parameter that is a text. */
export function text(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return one === undefined || one === null || one === "" ? undefined : String(one);
}

/** A parameter that is a list of texts. */
export function list(value: unknown): string[] | undefined {
  const all = (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== "").map(String);
  return all.length > 0 ? all : undefined;
}

/** A parameter that is a number. */
export function number(value: unknown): number | undefined {
  const read = Number(text(value));
  return text(value) !== undefined && Number.isFinite(read) ? read : undefined;
}

/** A parameter that is yes or no. */
export function flag(value: unknown): boolean | undefined {
  const read = text(value);
  return read === "true" ? true : read === "false" ? false : undefined;
}

/** A parameter that is one of a few words. */
export function oneOf<V extends string>(value: unknown, words: readonly V[]): V | undefined {
  return words.find((word) => word === text(value));
}
