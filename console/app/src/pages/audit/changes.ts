/** One field that differs, by the way to it. */
export type Change = { path: string; before: unknown; after: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Limit of changes that are listed one by one. */
const most = 200;

/** What differs between two documents, field by field in order of their ways; lists are compared whole. */
export function changes(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  walk("", before, after, found);
  return found;
}

function walk(path: string, before: unknown, after: unknown, found: Change[]): void {
  if (found.length >= most) return;
  if (isObject(before) && isObject(after)) {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      walk(path ? `${path}.${name}` : name, before[name], after[name], found);
    }
    return;
  }
  if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ path, before, after });
}

/** A value in a cell. */
export function cell(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
