import { describe, expect, it } from "vitest";
import { type BulkItem, doToMany, nameOf } from "./bulk";
import type { JobRef } from "./jobRef";

const placesOf = (n: number, namespace = "team"): JobRef[] =>
  Array.from({ length: n }, (_, at) => ({ namespace, key: `job-${at}` }));

describe("doToMany", () => {
  it("names the keys of what was selected, namespace by namespace", async () => {
    const sent: unknown[] = [];
    const got: BulkItem[] = [];
    const places = [...placesOf(1, "a"), ...placesOf(1, "b")];
    await doToMany(
      { action: "stop" },
      { places },
      "*",
      places,
      async (query, body) => {
        sent.push([query.namespace, body]);
        return { items: (body.keys ?? []).map((key) => ({ key })) };
      },
      (items) => got.push(...items),
    );
    expect(sent).toEqual([
      ["a", { action: "stop", keys: ["job-0"] }],
      ["b", { action: "stop", keys: ["job-0"] }],
    ]);
    expect(got).toEqual([
      { key: "job-0", namespace: "a" },
      { key: "job-0", namespace: "b" },
    ]);
  });

  it("sends the filter for all that match, page by page, and no more than was shown", async () => {
    const sent: { namespace: string; keys?: string[] | null; filter?: object }[] = [];
    const got: BulkItem[] = [];
    await doToMany(
      { action: "label", labels: { a: "b" } },
      { search: { text: "nightly", labels: ["x=1"], any: true, template: "base", sort: "-title", columns: ["next"] } },
      "*",
      placesOf(300),
      async (query, body) => {
        sent.push({ namespace: query.namespace, keys: body.keys, filter: body.filter });
        const from = sent.length === 1 ? 0 : 200;
        const items = Array.from({ length: body.filter?.limit ?? 0 }, (_, at) => ({
          namespace: "team",
          key: `job-${from + at}`,
        }));
        return { items, more: true, next: `team/job-${from + items.length - 1}` };
      },
      (items) => got.push(...items),
    );
    const filter = { text: "nightly", labels: ["x=1"], label_mode: "any", template: "base" };
    expect(sent).toEqual([
      { namespace: "*", filter: { ...filter, limit: 200 } },
      { namespace: "*", filter: { ...filter, limit: 100, after: "team/job-199" } },
    ]);
    expect(got).toHaveLength(300);
    expect(got.every((item) => item.namespace === "team")).toBe(true);
  });

  it("ends when there are no more", async () => {
    let asked = 0;
    const got: BulkItem[] = [];
    await doToMany(
      { action: "start" },
      { search: {} },
      "team",
      placesOf(5),
      async () => {
        asked++;
        return { items: [{ key: "job-0" }] };
      },
      (items) => got.push(...items),
    );
    expect(asked).toBe(1);
    expect(got).toEqual([{ key: "job-0", namespace: "team" }]);
  });

  it("keeps what was done before a request fails", async () => {
    const got: BulkItem[] = [];
    let asked = 0;
    const doing = doToMany(
      { action: "stop" },
      { search: {} },
      "*",
      placesOf(2_000),
      async () => {
        if (asked++ > 0) throw new Error("gone");
        return { items: [{ namespace: "a", key: "x" }], more: true, next: "a/x" };
      },
      (items) => got.push(...items),
    );
    await expect(doing).rejects.toThrow("gone");
    expect(got).toHaveLength(1);
  });
});

describe("nameOf", () => {
  it("has the namespace where there are several", () => {
    expect(nameOf({ namespace: "a", key: "x" }, true)).toBe("a/x");
    expect(nameOf({ namespace: "a", key: "x" }, false)).toBe("x");
  });
});
