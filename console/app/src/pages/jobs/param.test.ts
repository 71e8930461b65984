import { describe, expect, it } from "vitest";
import { fieldsOfParam, withParamField } from "./param";

describe("fieldsOfParam", () => {
  it("reads a flat object", () =>
    expect(fieldsOfParam('{"day":"2026-01-01","n":3,"dry":true}')).toEqual([
      ["day", "2026-01-01"],
      ["n", 3],
      ["dry", true],
    ]));
  it.each(["", "text", "[1]", "{}", '{"a":{"b":1}}', '{"a":null}', "{broken"])("%j has none", (text) =>
    expect(fieldsOfParam(text)).toBeNull(),
  );
});

describe("withParamField", () => {
  it("keeps numbers numbers", () => expect(withParamField('{"n":3}', "n", "4.5")).toBe('{"n":4.5}'));
  it("takes a text for what is no number", () => expect(withParamField('{"n":3}', "n", "many")).toBe('{"n":"many"}'));
  it("keeps texts texts", () => expect(withParamField('{"n":"3"}', "n", "4")).toBe('{"n":"4"}'));
  it("leaves other fields and other texts alone", () => {
    expect(withParamField('{"a":1,"b":false}', "b", true)).toBe('{"a":1,"b":true}');
    expect(withParamField("text", "a", "b")).toBe("text");
  });
});
