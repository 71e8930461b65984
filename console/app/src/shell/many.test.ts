import { describe, expect, it } from "vitest";
import { areMany } from "./many";

describe("areMany", () => {
  const rows = (...spaces: string[]) => spaces.map((namespace) => ({ namespace }));
  it.each([
    [0, [], false],
    [1, rows("default", "default"), false],
    [1, rows("team"), false],
    [2, rows("default"), true],
    [1, rows("default", "team"), true],
  ])("%i known, %j: %s", (known, shown, many) => expect(areMany(known, shown)).toBe(many));
});
