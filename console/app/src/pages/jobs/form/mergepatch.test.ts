import { describe, expect, it } from "vitest";
import { changesOf, collisions, type JsonObject, patched, patchOf } from "./mergepatch";

const cases: [string, JsonObject, JsonObject, JsonObject][] = [
  ["nothing", { a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, {}],
  ["a field", { a: 1 }, { a: 2 }, { a: 2 }],
  ["one that goes", { a: 1, b: 2 }, { b: 2 }, { a: null }],
  ["one that comes", {}, { a: { b: 1 } }, { a: { b: 1 } }],
  ["within an object", { a: { b: 1, c: 2 } }, { a: { b: 1, d: 3 } }, { a: { c: null, d: 3 } }],
  ["a list, whole", { a: [1, 2] }, { a: [2] }, { a: [2] }],
  ["undefined as none", { a: 1, b: undefined }, { a: 1 }, {}],
];

describe("patchOf", () => {
  it.each(cases)("tells %s", (_, before, after, patch) => {
    expect(patchOf(before, after)).toEqual(patch);
    expect(patchOf(patched(before, patch) as JsonObject, after)).toEqual({});
  });
});

describe("changesOf", () => {
  it("names the way to each field", () =>
    expect(changesOf({ retry: { tries: 1 }, key: "a" }, { retry: { tries: 2, max: "1m" }, key: "a" })).toEqual([
      { field: "retry.max", before: undefined, after: "1m" },
      { field: "retry.tries", before: 1, after: 2 },
    ]));
});

describe("collisions", () => {
  const base = { title: "a", timeout: "1s", labels: { x: "1" } };
  it("finds what both changed in different ways", () => {
    const found = collisions(
      base,
      { ...base, title: "mine", timeout: "2s" },
      { ...base, title: "theirs", timeout: "2s" },
    );
    expect(found.both).toEqual([{ field: "title", base: "a", mine: "mine", theirs: "theirs" }]);
    expect(found.theirs.map((change) => change.field)).toEqual(["timeout", "title"]);
  });
  it("has none when each changed something else", () =>
    expect(collisions(base, { ...base, title: "b" }, { ...base, labels: { x: "2" } }).both).toEqual([]));
});
