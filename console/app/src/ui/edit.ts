type Plain = Record<string, unknown>;

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => same(one, b[at]));
  if (isPlain(a) && isPlain(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => same(a[name], b[name]));
  }
  return a === b;
}

/** What a form holds when another one was faster, and where both changed the same in different ways. */
export type Rebased<V> = { values: V; both: string[] };

/**
 * Puts what was typed onto what is there now. Of each value, and of each part of values that have names, what the
 * form has changed stays as it was typed; everything else is as it is there now. `both` are the names of values
 * that the form and the other one have changed in different ways: those of the form stay.
 */
export function rebase<V extends object>(first: V, typed: V, next: V): Rebased<V> {
  const both: string[] = [];
  const merged = (was: unknown, mine: unknown, theirs: unknown, field: string): unknown => {
    if (same(was, mine) || same(mine, theirs)) return theirs;
    if (isPlain(mine) && isPlain(theirs)) {
      const before = isPlain(was) ? was : {};
      const result: Plain = {};
      for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
        const value = merged(before[name], mine[name], theirs[name], field || name);
        if (value !== undefined) result[name] = value;
      }
      return result;
    }
    if (!same(was, theirs) && !both.includes(field)) both.push(field);
    return mine;
  };
  const values = merged(first, typed, next, "") as V;
  return { values, both };
}
