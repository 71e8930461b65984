import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Live } from "./live";
import { FakeSource } from "./source.fake";

function rig() {
  const sources: FakeSource[] = [];
  const events: [string, unknown][] = [];
  const places: boolean[] = [];
  const live = new Live({
    open: (after) => {
      const source = new FakeSource(after);
      sources.push(source);
      return source;
    },
    names: ["run"],
    onEvent: (name, data) => events.push([name, data]),
    onPlace: (resumed) => places.push(resumed),
  });
  const last = () => {
    const source = sources.at(-1);
    if (!source) throw new Error("no stream was opened");
    return source;
  };
  return { live, sources, events, places, last };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Live", () => {
  it("passes events on and leaves out what is no JSON", () => {
    const r = rig();
    r.live.start("");
    r.last().tell("run", '{"id":"1"}', "5-1");
    r.last().tell("run", "{");
    expect(r.events).toEqual([["run", { id: "1" }]]);
    expect(r.live.last).toBe("5-1");
  });

  it("says where it stands, and takes the browser's own open event for nothing", () => {
    const r = rig();
    r.live.start("5-1");
    r.last().tell("open");
    expect(r.places).toEqual([]);
    r.last().tell("open", '{"server":"5","resumed":true}', "5-1");
    r.last().tell("reset", '{"reason":"gap"}', "5-9");
    r.last().tell("open", '{"server":"6","resumed":false}', "6-0");
    expect(r.places).toEqual([true, false, false]);
    expect(r.live.last).toBe("6-0");
  });

  it("comes back behind the last event, later each time", () => {
    const r = rig();
    r.live.start("");
    r.last().tell("run", "{}", "5-7");
    r.last().fail();
    vi.advanceTimersByTime(1_999);
    expect(r.sources).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(r.last().after).toBe("5-7");
    r.last().fail();
    vi.advanceTimersByTime(3_999);
    expect(r.sources).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(r.sources).toHaveLength(3);
  });

  it("opens again behind the last event, and hears the old stream no more", () => {
    const r = rig();
    r.live.start("");
    r.last().tell("run", '{"n":1}', "5-7");
    const old = r.last();
    r.live.reopen();
    expect(old.readyState).toBe(2);
    expect(r.last().after).toBe("5-7");
    old.tell("run", '{"n":2}', "5-8");
    old.fail();
    vi.advanceTimersByTime(120_000);
    expect(r.sources).toHaveLength(2);
    r.last().tell("run", '{"n":2}', "5-8");
    expect(r.events).toEqual([
      ["run", { n: 1 }],
      ["run", { n: 2 }],
    ]);
  });

  it("ends for good", () => {
    const r = rig();
    r.live.start("");
    r.last().fail();
    r.live.stop();
    r.live.reopen();
    vi.advanceTimersByTime(120_000);
    expect(r.sources).toHaveLength(1);
  });
});
