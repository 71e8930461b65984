import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Live, type Source } from "./live";

class FakeSource implements Source {
  readyState = 1;
  private readonly heard = new Map<string, (event: MessageEvent<string>) => void>();
  constructor(readonly after: string) {}
  addEventListener(name: string, then: (event: MessageEvent<string>) => void) {
    this.heard.set(name, then);
  }
  close() {
    this.readyState = 2;
  }
  tell(name: string, data?: string, lastEventId = "") {
    this.heard.get(name)?.({ data, lastEventId } as MessageEvent<string>);
  }
  fail() {
    this.readyState = 2;
    this.tell("error");
  }
}

function rig() {
  const sources: FakeSource[] = [];
  const told: unknown[] = [];
  let seen = true;
  let change = () => {};
  let lost = 0;
  const live = new Live({
    open: (after) => {
      const source = new FakeSource(after);
      sources.push(source);
      return source;
    },
    on: { run: (data) => told.push(data) },
    onLost: () => {
      lost += 1;
    },
    sight: {
      visible: () => seen,
      onChange: (then) => {
        change = then;
        return () => {
          change = () => {};
        };
      },
    },
  });
  const see = (now: boolean) => {
    seen = now;
    change();
  };
  const last = () => {
    const source = sources.at(-1);
    if (!source) throw new Error("no stream was opened");
    return source;
  };
  return { live, sources, told, see, last, lost: () => lost };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Live", () => {
  it("tells events and leaves out what is no JSON", () => {
    const r = rig();
    r.live.start();
    r.last().tell("run", '{"id":"1"}', "5-1");
    r.last().tell("run", "{");
    expect(r.told).toEqual([{ id: "1" }]);
  });

  it("comes back behind the last event, later each time", () => {
    const r = rig();
    r.live.start();
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

  it("says when events were lost, and goes on from there", () => {
    const r = rig();
    r.live.start();
    r.last().tell("reset", "{}", "6-0");
    expect(r.lost()).toBe(1);
    r.last().fail();
    vi.advanceTimersByTime(2_000);
    expect(r.last().after).toBe("6-0");
  });

  it("lets go while the page is hidden for long, and no earlier", () => {
    const r = rig();
    r.live.start();
    r.last().tell("open", "{}", "5-3");
    r.see(false);
    vi.advanceTimersByTime(29_000);
    expect(r.last().readyState).toBe(1);
    r.see(true);
    vi.advanceTimersByTime(60_000);
    expect(r.sources).toHaveLength(1);
    r.see(false);
    vi.advanceTimersByTime(30_000);
    expect(r.last().readyState).toBe(2);
    r.see(true);
    expect(r.sources).toHaveLength(2);
    expect(r.last().after).toBe("5-3");
  });

  it("ends for good", () => {
    const r = rig();
    r.live.start();
    r.last().fail();
    r.live.stop();
    r.see(true);
    vi.advanceTimersByTime(120_000);
    expect(r.sources).toHaveLength(1);
  });
});
