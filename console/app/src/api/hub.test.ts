import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Ask, addressOf, beatEvery, StreamHub, silentFor, type Tell } from "./hub";
import { slotFor } from "./slots";
import { FakeSource } from "./source.fake";

/** A window: it handles messages at once unless it is held. */
class FakeWindow {
  readonly told: Tell[] = [];
  held = false;
  ask: (ask: Ask) => void = () => {};
  hear = (tell: Tell) => {
    this.told.push(tell);
    if (this.held) return;
    if (tell.say === "batch") this.ask({ say: "done" });
    if (tell.say === "beat") this.ask({ say: "beat" });
  };
  /** What came since the last look: "missed", "whole", and the events as name and number. */
  news(): string[] {
    return this.told.splice(0).flatMap((tell) => {
      if (tell.say !== "batch") return [];
      const events = tell.events.map(([name, data]) => `${name} ${(data as { n?: number }).n ?? ""}`.trim());
      return events.length > 0 && !tell.missed ? events : [tell.missed ? "missed" : "whole", ...events];
    });
  }
  slots(): string {
    const all = this.told.splice(0).flatMap((tell) => (tell.say === "slot" ? [tell] : []));
    return all.map((tell) => `${tell.granted ? "+" : "-"}${tell.id}`).join(" ");
  }
  get at(): string {
    return this.told.flatMap((tell) => (tell.say === "batch" ? [tell.at] : [])).at(-1) ?? "";
  }
}

function rig() {
  const sources: FakeSource[] = [];
  const hub = new StreamHub((url) => {
    const source = new FakeSource(new URLSearchParams(url.split("?")[1]).get("after") ?? "", url);
    sources.push(source);
    return source;
  });
  const enter = (after = "", summaries: string[] = []) => {
    const window = new FakeWindow();
    window.ask = hub.join(window.hear);
    window.ask({ say: "enter", url: "/events", after, summaries });
    return window;
  };
  const source = () => {
    const last = sources.at(-1);
    if (!last) throw new Error("no stream was opened");
    return last;
  };
  const open = (id: string, resumed = false) => source().tell("open", JSON.stringify({ resumed }), id);
  const run = (n: number) => source().tell("run", JSON.stringify({ n }), `1-${n}`);
  const openNow = () => sources.filter((one) => one.readyState !== 2).length;
  return { sources, enter, source, open, run, openNow };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("StreamHub", () => {
  it("opens one stream for ten windows, and all of them are told", () => {
    const r = rig();
    const windows = Array.from({ length: 10 }, () => r.enter());
    r.open("1-1");
    r.run(2);
    expect(r.sources).toHaveLength(1);
    for (const window of windows) {
      expect(window.at).toBe("1-2");
      expect(window.news()).toEqual(["missed", "run 2"]);
    }
  });

  it("closes the stream with the last window, and goes on behind what the next one has seen", () => {
    const r = rig();
    const one = r.enter();
    const two = r.enter();
    r.open("1-1");
    one.ask({ say: "leave" });
    expect(r.openNow()).toBe(1);
    r.run(2);
    expect(one.news()).toEqual(["missed"]);
    two.ask({ say: "leave" });
    expect(r.openNow()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    const again = r.enter("1-1");
    expect(r.source().after).toBe("1-1");
    r.open("1-1", true);
    r.run(2);
    expect(again.news()).toEqual(["whole", "run 2"]);
  });

  it("tells a window that comes to an open stream whether it has missed something", () => {
    const r = rig();
    r.enter();
    r.open("1-1");
    r.run(2);
    expect(r.enter("1-2").news()).toEqual(["whole"]);
    expect(r.enter("1-1").news()).toEqual(["missed"]);
    expect(r.enter().news()).toEqual(["missed"]);
  });

  it("tells each of those who wait for the stream whether it goes on where they stood", () => {
    const r = rig();
    const one = r.enter("1-5");
    const two = r.enter("1-3");
    const three = r.enter();
    r.open("1-5", true);
    expect([one.news(), two.news(), three.news()]).toEqual([["whole"], ["missed"], ["missed"]]);
  });

  it("says nothing of a break that misses nothing, and says it when one does", () => {
    const r = rig();
    const one = r.enter();
    r.open("1-1");
    one.news();
    r.open("1-1", true);
    expect(one.news()).toEqual([]);
    r.source().tell("reset", "{}", "2-0");
    expect(one.at).toBe("2-0");
    expect(one.news()).toEqual(["missed"]);
  });

  it("gathers for a window that is slow, and tells one that is too slow that it has missed some", () => {
    const r = rig();
    const slow = r.enter();
    const fast = r.enter();
    r.open("1-1");
    slow.news();
    fast.news();
    slow.held = true;
    for (let n = 2; n < 1_000; n++) r.run(n);
    expect(slow.told).toHaveLength(1);
    expect(fast.news()).toHaveLength(998);
    slow.ask({ say: "done" });
    expect(slow.news()).toHaveLength(998);
    for (let n = 1_000; n < 3_100; n++) r.run(n);
    slow.ask({ say: "done" });
    const news = slow.news();
    expect(news[0]).toBe("missed");
    expect(news.at(-1)).toBe("run 3099");
    expect(news.length).toBeLessThan(1_100);
  });

  it("lets go of a window that gives no sign of life, and of the stream with it", () => {
    const r = rig();
    const one = r.enter();
    r.open("1-1");
    vi.advanceTimersByTime(10 * silentFor);
    expect(r.openNow()).toBe(1);
    one.held = true;
    vi.advanceTimersByTime(silentFor + beatEvery);
    expect(r.openNow()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("brings the summaries of all namespaces that windows show, to those who show them", () => {
    const r = rig();
    const one = r.enter("", ["team"]);
    expect(new URLSearchParams(r.source().url.split("?")[1]).get("summary_of")).toBe("team");
    r.open("1-1");
    r.run(2);
    const two = r.enter("1-2", [""]);
    vi.advanceTimersByTime(1_000);
    expect(r.sources).toHaveLength(2);
    expect(r.openNow()).toBe(1);
    expect(r.source().after).toBe("1-2");
    expect(new URLSearchParams(r.source().url.split("?")[1]).get("summary_of")).toBe("*,team");
    r.open("1-2", true);
    one.news();
    two.news();
    r.source().tell("summary", '{"n":1,"namespace":"team"}');
    r.source().tell("summary", '{"n":2}');
    expect(one.news()).toEqual(["summary 1"]);
    expect(two.news()).toEqual(["summary 2"]);
    expect(r.enter("1-2", [""]).news()).toEqual(["whole", "summary 2"]);
    two.ask({ say: "summaries", summaries: ["team"] });
    expect(two.news()).toEqual(["summary 1"]);
  });

  it("opens the stream again only when other summaries are wanted, behind the last event", () => {
    const r = rig();
    const one = r.enter("", ["a"]);
    r.open("1-1");
    r.run(7);
    one.ask({ say: "summaries", summaries: ["b"] });
    one.ask({ say: "summaries", summaries: ["a"] });
    r.enter("1-7", ["a"]);
    vi.advanceTimersByTime(1_000);
    expect(r.sources).toHaveLength(1);
    one.ask({ say: "summaries", summaries: [] });
    vi.advanceTimersByTime(1_000);
    expect(r.sources).toHaveLength(1);
    one.ask({ say: "summaries", summaries: ["b"] });
    vi.advanceTimersByTime(1_000);
    expect(r.sources).toHaveLength(2);
    expect(r.source().after).toBe("1-7");
  });

  it("asks for no more summaries than the server takes, and for none of what is no name", () => {
    const r = rig();
    r.enter("", ["a,b", "*", "x".repeat(65), ...Array.from({ length: 20 }, (_, i) => `n${i}`)]);
    const spaces = new URLSearchParams(r.source().url.split("?")[1]).get("summary_of")?.split(",");
    expect(spaces).toHaveLength(8);
    expect(spaces?.every((space) => /^n\d+$/.test(space))).toBe(true);
  });

  it("hands out three slots among all windows, and takes them back from those who leave", () => {
    const r = rig();
    const windows = Array.from({ length: 4 }, () => r.enter());
    for (const window of windows) window.ask({ say: "claim", id: 1 });
    expect(windows.map((window) => window.slots())).toEqual(["+1", "+1", "+1", ""]);
    windows[1]?.ask({ say: "leave" });
    expect(windows.map((window) => window.slots())).toEqual(["", "", "", "+1"]);
    windows[0]?.ask({ say: "free", id: 1 });
    const late = r.enter();
    late.ask({ say: "claim", id: 9 });
    expect(late.slots()).toBe("+9");
  });

  it("gives a slot on when the window that had it has closed its connection, or is gone", () => {
    const r = rig();
    const windows = Array.from({ length: 4 }, () => r.enter());
    for (const window of windows) window.ask({ say: "claim", id: 1 });
    for (const window of windows) window.slots();
    vi.advanceTimersByTime(slotFor);
    expect(windows.map((window) => window.slots())).toEqual(["-1", "", "", ""]);
    windows[0]?.ask({ say: "closed", id: 1 });
    expect(windows.map((window) => window.slots())).toEqual(["", "", "", "+1"]);
    const [, silent] = windows;
    if (silent) silent.held = true;
    vi.advanceTimersByTime(slotFor);
    expect(windows[0]?.slots()).toBe("");
    vi.advanceTimersByTime(silentFor + beatEvery);
    expect(windows[0]?.slots()).toContain("+1");
  });
});

describe("addressOf", () => {
  it.each([
    ["", [], "/events"],
    ["1-2", [], "/events?after=1-2"],
    ["1-2", ["", "team"], "/events?after=1-2&kinds=run%2Cjob%2Cexecutor%2Calarm%2Csummary&summary_of=*%2Cteam"],
  ] as const)("behind %j with %j", (after, summaries, want) => {
    expect(addressOf("/events", after, summaries)).toBe(want);
  });
});
