import { describe, expect, it } from "vitest";
import type { Job } from "@/api/types";
import { templatesOf } from "./templates";

const job = (key: string, more: object = {}) => ({ key, handler: { kind: "shell" }, ...more }) as Job;

describe("templatesOf", () => {
  const jobs = [
    job("z"),
    job("b", { template: "z" }),
    job("a", { template: "z" }),
    job("n", { handler: { kind: "named" } }),
  ];
  it("finds those with instances", () =>
    expect(templatesOf(jobs, false).map((one) => [one.job.key, one.instances.map((i) => i.key)])).toEqual([
      ["z", ["b", "a"]],
    ]));
  it("finds scripts that could be some", () =>
    expect(templatesOf([...jobs, job("c")], true).map((one) => one.job.key)).toEqual(["c", "z"]));
});
