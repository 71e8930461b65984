import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Ask, silentFor, type Tell } from "./hub";
import { Link } from "./link";

type FakeLine = { user: string; asked: Ask[]; hear: (tell: Tell) => void; fail: () => void; closed: boolean };

function rig() {
  const lines: FakeLine[] = [];
  const events: string[] = [];
  const missed: { begun: boolean; first: boolean }[] = [];
  let page = { begin: () => {}, end: () => {} };
  const link = new Link({
    url: () => "/events",
    connect: (user, hear, fail) => {
      const line: FakeLine = { user, asked: [], hear, fail, closed: false };
      lines.push(line);
      return {
        send: (ask) => line.asked.push(ask),
        close: () => {
          line.closed = true;
        },
      };
    },
    onEvent: (name, data) => events.push(`${name} ${data.n}`),
    onMissed: (how) => missed.push(how),
    whileInUse: (begin, end) => {
      page = { begin, end };
      begin();
      return end;
    },
  });
  const line = () => {
    const last = lines.at(-1);
    if (!last) throw new Error("no line was opened");
    return last;
  };
  const batch = (at: string, how: { missed?: boolean; events?: number[] } = {}) =>
    line().hear({
      say: "batch",
      at,
      missed: how.missed ?? false,
      events: (how.events ?? []).map((n) => ["run", { n }]),
    });
  return { link, lines, line, events, missed, batch, leave: () => page.end(), comeBack: () => page.begin() };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Link", () => {
  it("enters where it stands, takes what comes and says so", () => {
    const r = rig();
    r.link.start("ada");
    expect(r.line().user).toBe("ada");
    expect(r.line().asked).toEqual([{ say: "enter", url: "/events", after: "", summaries: [] }]);
    r.batch("1-1", { missed: true });
    r.batch("1-3", { events: [2, 3] });
    expect(r.events).toEqual(["run 2", "run 3"]);
    expect(r.missed).toEqual([{ begun: true, first: true }]);
    expect(r.line().asked.slice(1)).toEqual([{ say: "done" }, { say: "done" }]);
  });

  it("leaves with the page, and comes back behind the last event", () => {
    const r = rig();
    r.link.start("ada");
    r.batch("1-5");
    r.leave();
    expect(r.line().asked.at(-1)).toEqual({ say: "leave" });
    expect(r.line().closed).toBe(true);
    r.batch("1-6", { events: [6] });
    expect(r.events).toEqual([]);
    r.comeBack();
    expect(r.lines).toHaveLength(2);
    expect(r.line().asked).toEqual([{ say: "enter", url: "/events", after: "1-5", summaries: [] }]);
    r.batch("1-9", { missed: true });
    r.batch("1-9", { missed: true });
    expect(r.missed).toEqual([
      { begun: true, first: false },
      { begun: false, first: false },
    ]);
  });

  it("begins anew as another user", () => {
    const r = rig();
    const stop = r.link.start("ada");
    r.batch("1-5");
    stop();
    r.link.start("bob");
    expect(r.lines.map((one) => one.user)).toEqual(["ada", "bob"]);
    expect(r.line().asked[0]).toMatchObject({ after: "" });
  });

  it("answers beats, and makes the link again when there are none", () => {
    const r = rig();
    r.link.start("ada");
    r.batch("1-5");
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(silentFor - 1);
      r.line().hear({ say: "beat" });
    }
    expect(r.line().asked.filter((ask) => ask.say === "beat")).toHaveLength(10);
    expect(r.lines).toHaveLength(1);
    vi.advanceTimersByTime(silentFor);
    expect(r.lines[0]).toMatchObject({ closed: true });
    expect(r.line().asked).toEqual([{ say: "enter", url: "/events", after: "1-5", summaries: [] }]);
    r.leave();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says all of it again on another line when one fails", () => {
    const r = rig();
    r.link.wantSummary("team");
    r.link.start("ada");
    r.link.claim(vi.fn(), vi.fn());
    r.line().fail();
    expect(r.lines).toHaveLength(2);
    expect(r.line().asked).toEqual([
      { say: "enter", url: "/events", after: "", summaries: ["team"] },
      { say: "claim", id: 1 },
    ]);
  });

  it("asks for each summary once, as long as one wants it", () => {
    const r = rig();
    r.link.start("ada");
    const one = r.link.wantSummary("team");
    const two = r.link.wantSummary("team");
    one();
    expect(r.line().asked.at(-1)).toEqual({ say: "summaries", summaries: ["team"] });
    two();
    expect(r.line().asked.at(-1)).toEqual({ say: "summaries", summaries: [] });
  });

  it("says that the connection is closed when a slot is revoked", () => {
    const r = rig();
    r.link.start("ada");
    const asked: number[] = [];
    r.link.claim(
      () => {},
      () => asked.push(r.line().asked.length),
    );
    r.line().hear({ say: "slot", id: 1, granted: true });
    const before = r.line().asked.length;
    r.line().hear({ say: "slot", id: 1, granted: false });
    expect(asked).toEqual([before]);
    expect(r.line().asked.at(-1)).toEqual({ say: "closed", id: 1 });
  });

  it("takes slots back when the page is out of use, and asks for them again", () => {
    const r = rig();
    r.link.start("ada");
    const grant = vi.fn();
    const revoke = vi.fn();
    const free = r.link.claim(grant, revoke);
    r.line().hear({ say: "slot", id: 1, granted: true });
    expect(grant).toHaveBeenCalledTimes(1);
    r.leave();
    expect(revoke).toHaveBeenCalledTimes(1);
    r.comeBack();
    expect(r.line().asked.at(-1)).toEqual({ say: "claim", id: 1 });
    r.line().hear({ say: "slot", id: 1, granted: true });
    expect(grant).toHaveBeenCalledTimes(2);
    free();
    expect(r.line().asked.at(-1)).toEqual({ say: "free", id: 1 });
    r.line().hear({ say: "slot", id: 1, granted: false });
    expect(revoke).toHaveBeenCalledTimes(1);
  });
});
