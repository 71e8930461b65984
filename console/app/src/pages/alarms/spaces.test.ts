import { describe, expect, it } from "vitest";
import { inSpaces } from "@/ui/inSpaces";
import { definitionId, named, naming, spacesFor } from "./spaces";

const columns = [
  { id: "key", title: "Key", cell: () => "" },
  { id: "more", title: "More", cell: () => "" },
];
const all = [
  { namespace: "default", key: "ops" },
  { namespace: "team", key: "ops" },
  { namespace: "team", key: "own" },
];

describe("inSpaces", () => {
  it("shows the namespace when all are shown", () => {
    expect(inSpaces(true, columns, "Namespace").map((one) => one.id)).toEqual(["key", "namespace", "more"]);
    expect(inSpaces(false, columns, "Namespace")).toBe(columns);
    expect(inSpaces(true, [], "Namespace").map((one) => one.id)).toEqual(["namespace"]);
  });
});

describe("named", () => {
  it.each([
    ["ops", undefined, "", "default/ops"],
    ["ops", undefined, "team", "team/ops"],
    ["ops", "team", "", "team/ops"],
    ["own", undefined, "", undefined],
    ["own", "team", "", "team/own"],
    ["none", "team", "", undefined],
    [undefined, "team", "", undefined],
  ] as const)("%s in %s, shown %s: %s", (key, space, shown, want) => {
    const found = named(all, key, space, shown);
    expect(found && definitionId(found)).toBe(want);
  });
  it("is not known before the list is", () => expect(named(undefined, "ops", "team", "")).toBeUndefined());
});

describe("naming", () => {
  it("has the namespace where all are shown", () => {
    expect(naming({ namespace: "team", key: "own" }, "")).toEqual({ edit: "own", in: "team" });
    expect(naming({ namespace: "team", key: "own" }, "team")).toEqual({ edit: "own", in: undefined });
  });
});

describe("spacesFor", () => {
  it("offers the one that is shown, or all that are allowed", () => {
    expect(spacesFor("team", ["default", "team"], () => true)).toEqual(["team"]);
    expect(spacesFor("", ["team", "default"], () => true)).toEqual(["default", "team"]);
    expect(spacesFor("", ["team"], (space) => space === "team")).toEqual(["team"]);
    expect(spacesFor("team", [], () => false)).toEqual([]);
  });
});
