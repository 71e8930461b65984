import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { assignFaults, fieldFor, mergeFaults } from "./faults";

const fields = ["key", "retry", "retry.max", "schedule", "children", "children.0", "children.0.job"];

describe("fieldFor", () => {
  it.each([
    ["key", "key"],
    ["body.key", "key"],
    ["retry.max", "retry.max"],
    ["retry.base", "retry"],
    ["children[0].job", "children.0.job"],
    ["children[3].job", "children"],
    ["retries", null],
    ["namespace", null],
  ])("%s belongs to %s", (named, field) => expect(fieldFor(named, fields)).toBe(field));
  it("knows fields by other names", () => expect(fieldFor("cron.text", fields, { cron: "schedule" })).toBe("schedule"));
});

describe("placed", () => {
  const refusal = (...named: string[]) =>
    new Problem(422, {
      code: "invalid",
      hint: "mend it",
      errors: named.map((field) => ({ field, detail: `${field}!` })),
    });
  it("has nothing to place", () => expect(assignFaults(null, fields)).toEqual({ at: {}, left: null }));
  it("puts what is refused at its fields", () =>
    expect(assignFaults(refusal("body.key", "retry.base", "retry.wait"), fields)).toEqual({
      at: { key: "body.key!", retry: "retry.base! retry.wait!" },
      left: null,
    }));
  it("leaves what belongs to no field, and no more", () => {
    const { at, left } = assignFaults(refusal("key", "namespace"), fields);
    expect(at).toEqual({ key: "key!" });
    expect(left?.fields).toEqual([{ field: "namespace", detail: "namespace!" }]);
    expect(left?.hint).toBe("mend it");
  });
  it("leaves the whole of a problem that names no field", () => {
    const problem = new Problem(503, { code: "unavailable", detail: "the database is away" });
    expect(assignFaults(problem, fields)).toEqual({ at: {}, left: problem });
  });
  it("places a problem of a single field", () =>
    expect(assignFaults(new Problem(409, { code: "conflict", field: "key", detail: "is taken" }), fields)).toEqual({
      at: { key: "is taken" },
      left: null,
    }));
});

describe("joined", () => {
  it("drops what is right, and prefers the second", () =>
    expect(mergeFaults({ a: "one", b: undefined, c: "three" }, { a: "two", c: undefined, d: "" })).toEqual({
      a: "two",
      c: "three",
    }));
});
