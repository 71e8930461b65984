/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };

/** Whether a value is an object with names. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether two values are equal; undefined fields are ignored. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => same(one, b[at]));
  if (isObject(a) && isObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => same(a[name], b[name]));
  }
  return a === b;
}

/** The merge patch (RFC 7396) that makes `before` into `after`. */
export function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = before[name];
    const is = after[name];
    if (same(was, is)) continue;
    if (is === undefined) patch[name] = null;
    else patch[name] = isObject(was) && isObject(is) ? patchOf(was, is) : is;
  }
  return patch;
}

/** What a merge patch makes of a value. */
export function patched(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === undefined) continue;
    if (change === null) delete result[name];
    else result[name] = patched(result[name], change);
  }
  return result;
}

/** One field, by the names that lead to it, with what it was and is. */
export type Change = { field: string; before?: Json; after?: Json };

/** The fields that two values differ in; what is no object is compared whole. */
export function changesOf(before: JsonObject, after: JsonObject, prefix = ""): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const was = before[name];
    const is = after[name];
    if (same(was, is)) return [];
    if ((isObject(was) || was === undefined) && (isObject(is) || is === undefined)) {
      return changesOf(isObject(was) ? was : {}, isObject(is) ? is : {}, `${prefix}${name}.`);
    }
    return [{ field: prefix + name, before: was, after: is }];
  });
}

/** What two people changed of the same thing: fields of one, of the other, and of both in different ways. */
export function collisions(base: JsonObject, mine: JsonObject, theirs: JsonObject) {
  const own = new Map(changesOf(base, mine).map((change) => [change.field, change]));
  const other = new Map(changesOf(base, theirs).map((change) => [change.field, change]));
  const both = [...own.values()].flatMap((change) => {
    const their = other.get(change.field);
    if (!their || same(their.after, change.after)) return [];
    return [{ field: change.field, base: change.before, mine: change.after, theirs: their.after }];
  });
  return { mine: [...own.values()], theirs: [...other.values()], both };
}
