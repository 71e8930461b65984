import { describe, expect, it } from "vitest";
import { fits, fitsGroup, type Scope, scopeOf, scopeValues } from "./scope";

describe("fits", () => {
  const job = { key: "billing-nightly", group: "reports", labels: { team: "money" } };
  it.each<[Scope | undefined, boolean]>([
    [undefined, true],
    [{}, true],
    [{ jobs: ["billing-nightly"] }, true],
    [{ jobs: ["billing"] }, false],
    [{ jobs: ["mail", "billing-*"] }, true],
    [{ jobs: ["*"] }, true],
    [{ groups: ["rep*"] }, true],
    [{ groups: ["mail"] }, false],
    [{ jobs: ["billing-*"], groups: ["mail"] }, false],
    [{ labels: { team: "money" } }, true],
    [{ labels: { team: "*" } }, true],
    [{ labels: { team: "other" } }, false],
    [{ labels: { zone: "*" } }, false],
  ])("%j: %s", (scope, fit) => expect(fits(scope, job)).toBe(fit));
});

describe("fitsGroup", () => {
  it.each<[Scope | undefined, boolean]>([
    [undefined, true],
    [{ groups: ["reports"] }, true],
    [{ groups: ["mail"] }, false],
    [{ jobs: ["*"] }, false],
    [{ labels: { team: "*" } }, false],
  ])("%j: %s", (scope, fit) => expect(fitsGroup(scope, "reports")).toBe(fit));
});

describe("scopeOf", () => {
  it("leaves out what is empty", () => {
    expect(scopeOf({ jobs: [], groups: [], labels: [{ key: " ", value: "x" }] })).toBeUndefined();
    expect(scopeOf({ jobs: ["a"], groups: [], labels: [] })).toEqual({ jobs: ["a"] });
  });
  it("gives back what it was made of", () => {
    const scope = { jobs: ["a*"], groups: ["b"], labels: { c: "*" } };
    expect(scopeOf(scopeValues(scope))).toEqual(scope);
  });
});
