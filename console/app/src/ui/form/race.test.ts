import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { lostRace } from "./race";

describe("lostRace", () => {
  it.each([
    [new Problem(412, {}), true],
    [new Problem(409, {}), true],
    [new Problem(409, { field: "key", detail: "exists" }), false],
    [new Problem(400, {}), false],
    [null, false],
  ])("%s: %s", (problem, lost) => expect(lostRace(problem)).toBe(lost));
});
