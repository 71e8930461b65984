import { describe, expect, it } from "vitest";
import { rebase } from "./edit";

type Form = { title: string; channels: string[]; settings?: Record<string, string>; on?: boolean };
const first: Form = { title: "a", channels: ["ops"], settings: { url: "x", room: "1" }, on: true };

describe("rebase", () => {
  it.each<[string, Partial<Form>, Partial<Form>, Partial<Form>, string[]]>([
    ["takes what was not typed", {}, { title: "b", on: false }, { title: "b", on: false }, []],
    ["keeps what was typed", { title: "mine" }, {}, { title: "mine" }, []],
    ["puts both together", { title: "mine" }, { on: false }, { title: "mine", on: false }, []],
    ["keeps the typed of what both changed", { title: "mine" }, { title: "b" }, { title: "mine" }, ["title"]],
    ["tells nothing of what both made the same", { title: "b" }, { title: "b" }, { title: "b" }, []],
    [
      "takes lists as a whole",
      { channels: ["ops", "me"] },
      { channels: [] },
      { channels: ["ops", "me"] },
      ["channels"],
    ],
    [
      "goes into values with names",
      { settings: { url: "mine", room: "1" } },
      { settings: { url: "x", room: "2" } },
      { settings: { url: "mine", room: "2" } },
      [],
    ],
    [
      "names the value that both have parts of",
      { settings: { url: "mine", room: "1" } },
      { settings: { url: "y", room: "2" } },
      { settings: { url: "mine", room: "2" } },
      ["settings"],
    ],
    ["lets a part go", { settings: { url: "x" } }, {}, { settings: { url: "x" } }, []],
    [
      "keeps a part that the other one made",
      {},
      { settings: { url: "x", to: "y" } },
      { settings: { url: "x", to: "y" } },
      [],
    ],
  ])("%s", (_, mine, theirs, want, both) =>
    expect(rebase(first, { ...first, ...mine }, { ...first, ...theirs })).toEqual({
      values: { ...first, ...want },
      both,
    }),
  );
});
