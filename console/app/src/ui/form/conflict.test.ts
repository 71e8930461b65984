import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { isConflict } from "./conflict";

describe("lostRace", () => {
  it.each([
    [new Problem(412, {}), true],
    [new Problem(409, {}), true],
    [new Problem(409, { field: "key", detail: "exists" }), false],
    [new Problem(400, {}), false],
    [null, false],
  ])("%s: %s", (problem, lost) => expect(isConflict(problem)).toBe(lost));
});
