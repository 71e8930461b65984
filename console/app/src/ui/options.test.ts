import { describe, expect, it } from "vitest";
import { matching } from "./options";

const all = [
  { value: "a", label: "Nightly report" },
  { value: "b", label: "Daily report" },
  { value: "key-x", label: null, text: "Sweep" },
];

describe("matching", () => {
  it.each([
    ["", ["a", "b", "key-x"]],
    ["REPORT", ["a", "b"]],
    ["report night", ["a"]],
    ["key", ["key-x"]],
    ["none", []],
  ])("%j", (text, values) => expect(matching(all, text).map((option) => option.value)).toEqual(values));
});
