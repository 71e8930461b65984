import { describe, expect, it } from "vitest";
import { lacksKind, nameStatus, namesIn, type Offer } from "./offer";
import { runKinds } from "./runs";

const own: Offer = {
  executors: 2,
  silent: 0,
  handlers: [
    { kind: "shell", executors: 2 },
    { kind: "named", name: "httpJobHandler", executors: 1 },
    { kind: "named", name: "report", executors: 1 },
  ],
};
const mixed: Offer = { ...own, executors: 3, silent: 1 };
const none: Offer = { executors: 0, silent: 0, handlers: [] };
const lacked = (offer: Offer | undefined) => runKinds.filter((kind) => lacksKind(offer, kind));

describe("what a group offers", () => {
  it("has names without those that have a form of their own", () =>
    expect(namesIn(own)).toEqual([{ name: "report", executors: 1 }]));
  it("says which kinds nobody runs", () =>
    expect(lacked(own)).toEqual([
      "command",
      "python",
      "nodejs",
      "powershell",
      "php",
      "groovy",
      "javascript",
      "python2",
    ]));
  it("misses handlers where no name is announced", () =>
    expect(lacksKind({ ...own, handlers: [] }, "handler")).toBe(true));
  it.each([
    ["executors that announce nothing", mixed],
    ["nobody", none],
    ["what is not known", undefined],
  ])("claims nothing of %s", (_, offer) => expect(lacked(offer)).toEqual([]));
  it.each([
    [own, "report", "fine"],
    [own, " report ", "fine"],
    [own, "", "fine"],
    [own, "other", "nobody"],
    [mixed, "other", "perhaps"],
    [none, "other", "fine"],
    [undefined, "other", "fine"],
  ] as const)("of %j a name %j is %s", (offer, name, standing) => expect(nameStatus(offer, name)).toBe(standing));
});
