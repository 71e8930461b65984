import { describe, expect, it } from "vitest";
import { filterOf, isNarrowed, keepViews, queryOf, readSearch, readViews, sameSearch, withView } from "./search";

describe("readSearch", () => {
  it("keeps what makes sense", () =>
    expect(
      readSearch({
        text: 42,
        group: "a",
        template: "base",
        status: "held",
        labels: ["x=1", ""],
        any: true,
        last: "failed",
        sort: "-next_at",
      }),
    ).toEqual({
      text: "42",
      group: "a",
      template: "base",
      status: "held",
      labels: ["x=1"],
      any: true,
      last: "failed",
      sort: "-next_at",
    }));
  it("leaves out the rest", () =>
    expect(
      readSearch({
        text: "",
        group: {},
        status: "asleep",
        kind: "cronish",
        sort: "-colour",
        labels: [],
        columns: [],
        x: 1,
      }),
    ).toEqual({}));
  it("has no word for the usual order", () => expect(readSearch({ sort: "key" })).toEqual({}));
  it("takes one label for a list of one", () => expect(readSearch({ labels: "a=b" })).toEqual({ labels: ["a=b"] }));
  it("reads what it wrote", () => {
    const search = readSearch({ text: "a", labels: ["b", "c=d"], any: "true", columns: ["next"], kind: "cron" });
    expect(readSearch(JSON.parse(JSON.stringify(search)))).toEqual(search);
  });
});

describe("isNarrowed", () => {
  it.each([
    [{}, false],
    [{ sort: "-next_at", columns: ["next"], any: true }, false],
    [{ text: "a" }, true],
    [{ labels: ["a"] }, true],
  ])("%j: %s", (search, narrowed) => expect(isNarrowed(search)).toBe(narrowed));
});

describe("filterOf", () => {
  it("has what the list is narrowed by, without its order and namespace", () =>
    expect(filterOf({ labels: ["a"], template: "base", status: "held", sort: "-title", columns: ["next"] })).toEqual({
      labels: ["a"],
      template: "base",
      status: "held",
    }));
});

describe("queryOf", () => {
  it("asks for any label only when there are some", () => {
    expect(queryOf({ any: true }, "default").label_mode).toBeUndefined();
    expect(queryOf({ any: true, labels: ["a"] }, "default")).toMatchObject({ label: ["a"], label_mode: "any" });
  });
});

describe("views", () => {
  const storage = () => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
  };
  it("are those of a user", () => {
    const browser = storage();
    keepViews("one", [{ name: "Failing", search: { last: "failed" } }], browser);
    expect(readViews("one", browser)).toEqual([{ name: "Failing", search: { last: "failed" } }]);
    expect(readViews("another", browser)).toEqual([]);
  });
  it.each(["{", "null", "{}", '[1,{"name":1,"search":{}},{"name":"a"}]'])("%s is none", (text) =>
    expect(readViews("one", { getItem: () => text })).toEqual([]),
  );
  it("replace one of the same name", () =>
    expect(
      withView(
        [
          { name: "b", search: {} },
          { name: "a", search: {} },
        ],
        { name: "b", search: { text: "x" } },
      ),
    ).toEqual([
      { name: "a", search: {} },
      { name: "b", search: { text: "x" } },
    ]));
});

describe("sameSearch", () => {
  it("looks past the order", () => expect(sameSearch({ text: "a", group: "b" }, { group: "b", text: "a" })).toBe(true));
  it("sees a difference", () => expect(sameSearch({ labels: ["a"] }, { labels: ["b"] })).toBe(false));
});
