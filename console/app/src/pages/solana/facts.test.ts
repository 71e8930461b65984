import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { arrange, dueAt, net, readFacts, redriveCommand, shortKey, sol, standing, success } from "./facts";

/** Facts from the tests of the executor. */
const told = JSON.parse(
  readFileSync(new URL("../../../../../solana/report/testdata/facts.json", import.meta.url), "utf8"),
);
const facts = readFacts(told);
if (!facts) throw new Error("the executor's facts are not understood");

describe("readFacts", () => {
  it("understands what the executor tells", () => {
    expect(facts.threads).toHaveLength(7);
    expect(facts.dead[0]).toMatchObject({ id: "1002", tries: 5, class: "program" });
  });
  it.each([
    [null],
    [undefined],
    ["x"],
    [{}],
    [{ ...told, version: 2 }],
    [{ ...told, threads: {} }],
    [{ ...told, queue: 1 }],
  ])("refuses %#", (raw) => expect(readFacts(raw)).toBeNull());
});

describe("sol", () => {
  it.each([
    [0, false, "0.000000000"],
    [888, true, "+0.000000888"],
    [-5000, false, "−0.000005000"],
    [1_234_567_890, false, "1.234567890"],
    [9_000_000_123_456_789, false, "9 000 000.123456789"],
  ] as const)("writes %d", (lamports, signed, want) => expect(sol(lamports, signed)).toBe(want));
});

describe("threads", () => {
  const order = (text: string, sort: string) =>
    arrange(facts.threads, facts.clock, text, sort).map((one) => one.trigger);
  it("stay as they were told", () => {
    expect(order("", "")).toEqual(["account", "immediate", "cron", "slot", "interval", "epoch", "timestamp"]);
  });
  it("are sorted, and what has no value stays below", () => {
    expect(order("", "due").slice(0, 4)).toEqual(["immediate", "cron", "slot", "interval"]);
    expect(order("", "-due").slice(0, 4)).toEqual(["interval", "slot", "cron", "immediate"]);
    expect(order("", "-count")[0]).toBe("cron");
    expect(order("", "net")[0]).toBe("interval");
    expect(order("", "nonsense")).toEqual(order("", ""));
  });
  it("are searched", () => {
    expect(order(" CRON ", "")).toEqual(["cron"]);
    expect(order("0 * *", "")).toEqual(["cron"]);
    expect(order("nothing like it", "")).toEqual([]);
  });
  it("stand as they do", () => {
    expect(facts.threads.map(standing)).toEqual(["dead", "ready", "waits", "waits", "waits", "waits", "paused"]);
  });
  it("are due at a time or by the chain", () => {
    const by = (trigger: string) => {
      const one = facts.threads.find((each) => each.trigger === trigger);
      return one && dueAt(one, facts.clock);
    };
    expect(by("interval")).toBe(1_800_000_030_000);
    expect(by("slot")).toBe(1_800_000_004_000);
    expect(by("epoch")).toBeUndefined();
  });
});

it("counts what ended here", () => {
  expect(success(facts.totals)).toBeCloseTo(12 / 14);
  expect(success({ ...facts.totals, executed: 0, dead: 0 })).toBeUndefined();
  expect(net({ earned: 5, spent: 7 })).toBe(-2);
  expect(net({})).toBe(0);
});

it("shortens and writes commands", () => {
  expect(shortKey("7jTxiVrSxey1RDi3QAzEYQTqCjhQ3bKJQDGktnsirKZ1")).toBe("7jTx…rKZ1");
  expect(shortKey("short")).toBe("short");
  expect(redriveCommand(["1", "2"])).toBe("orth-solana queue redrive 1 2");
});
