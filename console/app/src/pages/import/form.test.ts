import { describe, expect, it } from "vitest";
import {
  countBy,
  groupsOf,
  hasChanges,
  type Item,
  initialForm,
  kindHasField,
  missingField,
  requestOf,
  sortItems,
} from "./form";

const item = (kind: Item["kind"], key: string, action: Item["action"], result: Item["result"]): Item => ({
  kind,
  key,
  action,
  result,
});

describe("requestOf", () => {
  it("sends what the kind has and is not empty", () => {
    expect(
      requestOf({ ...initialForm, address: "mysql://db/x", password: "p", text: "left", group: "left" }, true),
    ).toEqual({ kind: "database", dry_run: true, namespace: "default", address: "mysql://db/x", password: "p" });
    expect(requestOf({ ...initialForm, kind: "crontab", text: "@daily x", group: "g", password: "p" }, false)).toEqual({
      kind: "crontab",
      dry_run: false,
      namespace: "default",
      text: "@daily x",
      group: "g",
    });
  });
  it("names a role only with users", () => {
    expect(requestOf({ ...initialForm, users: true }, true).role).toBe("editor");
    expect(requestOf(initialForm, true).role).toBeUndefined();
  });
  it("turns lines into groups", () => {
    expect(requestOf({ ...initialForm, kind: "json", groups: "1=a\n 2 = b" }, true).groups).toEqual({
      "1": "a",
      "2": "b",
    });
    expect(groupsOf(" \n")).toEqual({});
    expect(groupsOf("3")).toEqual({ "3": "" });
  });
});

describe("gapOf", () => {
  it.each([
    ["address", {}],
    [undefined, { address: "x" }],
    ["namespace", { address: "x", namespace: "" }],
    ["text", { kind: "kubernetes" }],
    ["text", { kind: "crontab", text: " \n", group: "g" }],
    ["group", { kind: "kubernetes", text: "x" }],
    [undefined, { kind: "kubernetes", text: "x", group: "g" }],
    ["groups", { kind: "json", text: "x", groups: " " }],
    [undefined, { kind: "json", text: "x", groups: "1=g" }],
    [undefined, { kind: "json", text: "x", group: "g" }],
  ] as const)("finds %s", (gap, part) => expect(missingField({ ...initialForm, ...part })).toBe(gap));
  it("knows which fields there are", () => {
    expect(kindHasField("json", "start")).toBe(false);
    expect(kindHasField("crontab", "system")).toBe(true);
  });
});

describe("items", () => {
  const items = [
    item("group", "a", "none", "left"),
    item("job", "b", "create", "done"),
    item("job", "c", "change", "failed"),
  ];
  it("are counted", () =>
    expect(countBy(items, (one) => one.action !== "none")).toEqual({ group: 0, job: 2, executor: 0, user: 0 }));
  it("stand with what failed first", () => expect(sortItems(items).map((one) => one.key)).toEqual(["c", "b", "a"]));
  it("tell whether something changes", () => {
    const report = { dry_run: true, namespace: "x", found: { groups: 0, jobs: 0, links: 0, users: 0, executors: 0 } };
    expect(hasChanges({ ...report, items, findings: [] })).toBe(true);
    expect(hasChanges({ ...report, items: items.slice(0, 1), findings: [] })).toBe(false);
  });
});
