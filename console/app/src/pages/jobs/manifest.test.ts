import { describe, expect, it } from "vitest";
import type { Job } from "@/api/types";
import { documentOf, fileOf, readDocuments } from "./manifest";

const job = {
  id: 1,
  key: "a",
  namespace: "shop",
  group: "g",
  schedule: { kind: "manual" },
  handler: { kind: "shell", source: "true", source_at: "2026-01-01T00:00:00.000Z" },
  children: [{ id: 3, key: "b", on: "success" }],
  enabled: true,
  version: 4,
  next_at: "2026-01-01T00:00:00.000Z",
} as unknown as Job;

describe("documentOf", () => {
  it("has what the user of a job decides, and nothing else", () =>
    expect(documentOf(job)).toEqual({
      apiVersion: "orth/v1",
      kind: "Job",
      metadata: { key: "a", namespace: "shop" },
      spec: {
        group: "g",
        schedule: { kind: "manual" },
        handler: { kind: "shell", source: "true" },
        children: [{ key: "b", on: "success" }],
        enabled: true,
      },
    }));
  it("leaves the code of a template to the template", () =>
    expect(documentOf({ ...job, template: "base" } as Job).spec).not.toHaveProperty("handler"));
});

describe("readDocuments", () => {
  it("reads what was exported", () => expect(readDocuments(fileOf([job]))).toEqual([documentOf(job)]));
  it("reads a single one", () => expect(readDocuments(JSON.stringify(documentOf(job)))).toHaveLength(1));
  it.each(["", "{", "[1]", '{"kind":"Calendar","metadata":{"key":"a"},"spec":{}}', '{"kind":"Job","spec":{}}'])(
    "refuses %j",
    (text) => expect(() => readDocuments(text)).toThrow(),
  );
});
