import { describe, expect, it } from "vitest";
import list from "../../../../../internal/explain/testdata/sentences.json";
import { fromRun, isOutOfSight } from "./cause";

describe("the run that caused another", () => {
  it.each(["parent", "redrive", "retry", "shard"] as const)("is named for the cause %s", (cause) =>
    expect(fromRun({ cause, cause_id: "7" })).toBe("7"),
  );
  it.each(["api", "backfill", "manual", "misfire", "schedule", "trial"] as const)("is none for the cause %s", (cause) =>
    expect(fromRun({ cause, cause_id: "7" })).toBeUndefined(),
  );
});

describe("a cause out of sight", () => {
  it("is what the server calls so", () => {
    const gone = Object.keys(list).filter((code) => isOutOfSight([{ code }]));
    expect(gone.sort()).toEqual([
      "cause_backfill_gone",
      "cause_parent_gone",
      "cause_parent_hidden",
      "cause_redrive_gone",
    ]);
  });
  it("is none without such a fact", () => expect(isOutOfSight([{ code: "cause_parent" }])).toBe(false));
});
