import { describe, expect, it } from "vitest";
import {
  fieldsOfParam,
  fittingInputs,
  inputValue,
  missingInputs,
  runParamOf,
  withInput,
  withParamField,
} from "./param";

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

describe("runParamOf", () => {
  const inputs = [{ name: "day" }, { name: "region", default: "eu" }];
  it("is the job's own parameter", () => expect(runParamOf({ param: "x" })).toBe("x"));
  it("is the values of its inputs", () =>
    expect(runParamOf({ param: "${input:day}", inputs })).toBe('{"day":"","region":"eu"}'));
});

describe("withInput", () => {
  it("has the values that are given", () => {
    const one = withInput(null, "day", "2030-01-31");
    expect(one).toBe('{"day":"2030-01-31"}');
    expect(withInput(one, "n", "5")).toBe('{"day":"2030-01-31","n":"5"}');
    expect(inputValue(one, "day")).toBe("2030-01-31");
    expect(inputValue(one, "n")).toBe("");
  });
  it("leaves empty ones to their defaults", () => {
    expect(withInput('{"day":"x","n":"5"}', "day", "")).toBe('{"n":"5"}');
    expect(withInput('{"n":"5"}', "n", "")).toBe(null);
  });
});

describe("missingInputs", () => {
  it("names those without a value and a default", () => {
    const inputs = [{ name: "day" }, { name: "region", default: "eu" }, { name: "count" }];
    expect(missingInputs(inputs, '{"day":"1"}')).toEqual(["count"]);
    expect(missingInputs(inputs, null)).toEqual(["day", "count"]);
    expect(missingInputs(undefined, null)).toEqual([]);
  });
});

describe("fittingInputs", () => {
  const inputs = [{ name: "day" }, { name: "n" }];
  it.each<[string | undefined, string | null, string[], boolean]>([
    [undefined, null, [], true],
    ["{}", null, [], true],
    ['{"day":"1","n":7}', '{"day":"1","n":"7"}', [], true],
    ['{"day":"1","url":"x"}', '{"day":"1"}', ["url"], false],
    ["url: x", null, [], false],
    ['{"day":{"x":1}}', null, [], false],
  ])("%j", (param, fits, others, whole) =>
    expect(fittingInputs(inputs, param)).toEqual({ param: fits, others, whole }),
  );
});
