import { describe, expect, it } from "vitest";
import { cell, changes } from "./changes";

describe("changes", () => {
  it("names the way to each field that differs, in order", () => {
    expect(changes({ b: 1, a: { x: 1, y: 2 } }, { b: 1, a: { x: 1, y: 3, z: null } })).toEqual([
      { path: "a.y", before: 2, after: 3 },
      { path: "a.z", before: undefined, after: null },
    ]);
  });
  it("compares lists whole", () => {
    expect(changes({ tags: ["a", "b"] }, { tags: ["a"] })).toEqual([
      { path: "tags", before: ["a", "b"], after: ["a"] },
    ]);
    expect(changes({ tags: ["a"] }, { tags: ["a"] })).toEqual([]);
  });
  it("tells an object from a text, and absent from null", () => {
    expect(changes({ a: {} }, { a: "x" })).toHaveLength(1);
    expect(changes({}, { a: null })).toEqual([{ path: "a", before: undefined, after: null }]);
  });
  it("is bounded", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, at]));
    expect(changes(many, {})).toHaveLength(200);
  });
});

describe("cell", () => {
  it.each([
    [undefined, ""],
    ["", ""],
    ["text", "text"],
    [null, "null"],
    [["a"], '["a"]'],
  ])("%j is %j", (value, shown) => expect(cell(value)).toBe(shown));
});
