import { describe, expect, it } from "vitest";
import { bulkFilterOf, mayShow, queryOf } from "./filters";
import { jobPlace } from "./jobPlace";

describe("jobPlace", () => {
  it("takes the namespace from before the key", () => {
    expect(jobPlace("team/report", "")).toEqual({ job: "report", namespace: "team" });
    expect(jobPlace("report", "ops")).toEqual({ job: "report", namespace: "ops" });
    expect(jobPlace("report", "")).toEqual({ job: "report", namespace: undefined });
    expect(jobPlace(undefined, "ops")).toEqual({ job: undefined, namespace: "ops" });
  });
  it("is what runs are asked for by", () => {
    expect(queryOf({ job: "team/report" }, 0)).toEqual({ job: "report", namespace: "team" });
    expect(bulkFilterOf({ job: "team/report" }, 0)).toEqual({ job: "report", namespace: "team" });
    const run = { state: "running", cause: "manual" } as const;
    expect(mayShow({ job: "team/report" }, run, { job: "report", namespace: "team" })).toBe(true);
    expect(mayShow({ job: "team/report" }, run, { job: "report", namespace: "ops" })).toBe(false);
  });
});
