import { describe, expect, it } from "vitest";
import {
  changed,
  connected,
  disconnected,
  faultsOf,
  freeName,
  type Node,
  nodeOfField,
  readText,
  resumedFrom,
  textOf,
  waitsFor,
  withNode,
  withoutNode,
} from "./graph";

const line: Node[] = [
  { name: "a", job: "x" },
  { name: "b", job: "x", after: [{ node: "a" }] },
  { name: "c", job: "x", after: [{ node: "b", on: "failure" }] },
];

describe("editing a graph", () => {
  it("knows who waits for whom", () => {
    expect(waitsFor(line, "c", "a")).toBe(true);
    expect(waitsFor(line, "a", "c")).toBe(false);
  });
  it("refuses cycles", () => {
    expect(connected(line, "c", "a")).toBeNull();
    expect(connected(line, "a", "a")).toBeNull();
    expect(connected(line, "a", "c")?.[2]?.after).toEqual([{ node: "b", on: "failure" }, { node: "a" }]);
  });
  it("changes the condition of an edge in its place", () => {
    expect(connected(line, "a", "b", "always")?.[1]?.after).toEqual([{ node: "a", on: "always" }]);
    expect(disconnected(line, "a", "b")[1]).toEqual({ name: "b", job: "x" });
  });
  it("adds, renames and removes nodes with their edges", () => {
    expect(withNode(line, "a")[3]).toEqual({ name: "a-2", job: "a" });
    expect(freeName(line, "z")).toBe("z");
    expect(changed(line, "a", { name: "first" })[1]?.after).toEqual([{ node: "first" }]);
    expect(withoutNode(line, "b")).toEqual([
      { name: "a", job: "x" },
      { name: "c", job: "x" },
    ]);
  });
  it("keeps an empty parameter apart from none", () => {
    expect(changed(line, "a", { param: "" })[0]).toEqual({ name: "a", job: "x", param: "" });
    expect(changed(changed(line, "a", { param: "" }), "a", { param: undefined })[0]).toEqual({ name: "a", job: "x" });
  });
});

describe("faults", () => {
  it.each<[string, Node[], string[]]>([
    ["none", line, []],
    ["nothing", [], ["p_none"]],
    ["name", [{ name: "A b", job: "x" }], ["p_name"]],
    ["twice", [line[0] as Node, line[0] as Node], ["p_twice"]],
    ["job", [{ name: "a", job: "" }], ["p_job"]],
    ["unknown", [{ name: "a", job: "x", after: [{ node: "z" }] }], ["p_unknown"]],
    ["cycle", [{ name: "a", job: "x", after: [{ node: "a" }] }], ["p_cycle"]],
  ])("%s", (_, nodes, want) => expect(faultsOf(nodes).map((one) => one.fault)).toEqual(want));
});

describe("the fields of faults", () => {
  it("are those of the API", () =>
    expect(
      faultsOf([
        { name: "a", job: "" },
        { name: "B", job: "x", after: [{ node: "z" }] },
      ]).map((one) => one.field),
    ).toEqual(["nodes.0.job", "nodes.1.name", "nodes.1.after"]));
  it.each([
    ["nodes[2].job", 2],
    ["nodes.2.after.0.node", 2],
    ["nodes", undefined],
    ["key", undefined],
  ])("%s is of node %s", (field, index) => expect(nodeOfField(field)).toBe(index));
});

describe("text", () => {
  it("reads what it writes", () => {
    const draft = { title: "t", nodes: line };
    expect(readText(textOf(draft))).toEqual(draft);
  });
  it.each([
    "{}",
    "[1]",
    '{"nodes":[{}]}',
    '{"nodes":[{"name":"a","job":"b","after":"c"}]}',
    '{"nodes":[{"name":"a","job":"b","after":[{}]}]}',
    "nodes:",
  ])("refuses %s", (text) => expect(() => readText(text)).toThrow());
});

it("tells from where a run goes on", () => {
  const run = (name: string, state: "succeeded" | "failed" | "skipped") => ({
    ...(line.find((one) => one.name === name) as Node),
    state,
    generation: 1,
  });
  expect(resumedFrom([run("a", "succeeded"), run("b", "failed"), run("c", "skipped")])).toEqual(["b", "c"]);
});
