import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { errorAt, leftOver, lostRace } from "./refusal";

const of = (...fields: string[]) =>
  new Problem(400, { errors: fields.map((field) => ({ field, detail: `${field} is wrong` })) });

describe("errorAt", () => {
  it.each([
    ["channels", "channels", true],
    ["body.channels", "channels", true],
    ["escalation[1].after", "escalation", true],
    ["scope.labels.team", "scope.labels", true],
    ["titles", "title", false],
    ["key", "title", false],
  ])("%s at %s: %s", (field, name, at) => expect(errorAt(of(field), name) !== undefined).toBe(at));
  it("says nothing without a problem", () => expect(errorAt(null, "key")).toBeUndefined());
});

describe("leftOver", () => {
  it("is nothing when each field is known", () =>
    expect(leftOver(of("key", "scope.jobs"), ["key", "scope"])).toBeNull());
  it("is the problem when one is not", () => expect(leftOver(of("key", "odd"), ["key"])).not.toBeNull());
  it("is the problem when it names no field", () => expect(leftOver(new Problem(500, {}), ["key"])).not.toBeNull());
});

describe("lostRace", () => {
  it.each([
    [new Problem(412, {}), true],
    [new Problem(409, {}), true],
    [new Problem(409, { field: "key", detail: "exists" }), false],
    [new Problem(400, {}), false],
    [null, false],
  ])("%s: %s", (problem, lost) => expect(lostRace(problem)).toBe(lost));
});
