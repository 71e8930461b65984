import { describe, expect, it } from "vitest";
import { flag, list, number, oneOf, parseSearch, stringifySearch, text } from "./search";

describe("search", () => {
  it("comes back as it was", () => {
    const search = { group: "a/b", state: ["failed", "lost"], text: "α & β = 1", columns: ["key"] };
    expect(parseSearch(stringifySearch(search))).toEqual({ ...search, columns: "key" });
  });
  it("keeps long digits as they are", () => expect(parseSearch("?job=9007199254740993").job).toBe("9007199254740993"));
  it("leaves out what says nothing", () => expect(stringifySearch({ a: "", b: undefined, c: [], d: null })).toBe(""));
  it("keeps a no", () => expect(stringifySearch({ enabled: false })).toBe("?enabled=false"));
  it("reads kinds", () => {
    expect(text(["x", "y"])).toBe("x");
    expect(text("")).toBeUndefined();
    expect(list("x")).toEqual(["x"]);
    expect(list(undefined)).toBeUndefined();
    expect(number("12")).toBe(12);
    expect(number("twelve")).toBeUndefined();
    expect(flag("true")).toBe(true);
    expect(flag("yes")).toBeUndefined();
    expect(oneOf("b", ["a", "b"])).toBe("b");
    expect(oneOf("c", ["a", "b"])).toBeUndefined();
  });
});
