import { describe, expect, it } from "vitest";
import { fieldFor } from "./form";

const fields = ["key", "retry", "retry.max", "schedule", "children", "children.0", "children.0.job"];

describe("fieldFor", () => {
  it.each([
    ["key", "key"],
    ["body.key", "key"],
    ["retry.max", "retry.max"],
    ["retry.base", "retry"],
    ["children[0].job", "children.0.job"],
    ["children[3].job", "children"],
    ["namespace", null],
  ])("%s belongs to %s", (named, field) => expect(fieldFor(named, fields)).toBe(field));
  it("knows fields by other names", () => expect(fieldFor("cron.text", fields, { cron: "schedule" })).toBe("schedule"));
});
