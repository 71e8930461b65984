import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

vi.mock("@/api/base", () => ({
  apiURL: new URL("http://orth.test/api/v1"),
  consoleURL: new URL("http://orth.test/console/"),
  basePath: "/console",
}));

vi.mock("@/api/connect", () => ({ connect: () => ({ send: () => {}, close: () => {} }) }));

const { Problem } = await import("@/api/problem");
const { LogSource } = await import("./source");
type Reader = import("./source").LogReader;

class Stream {
  readyState = 1;
  closed = false;
  private readonly on = new Map<string, ((event: MessageEvent<string>) => void)[]>();
  addEventListener(name: string, then: (event: MessageEvent<string>) => void) {
    this.on.set(name, [...(this.on.get(name) ?? []), then]);
  }
  close() {
    this.closed = true;
    this.readyState = 2;
  }
  tell(name: string, data: unknown) {
    for (const then of this.on.get(name) ?? []) then({ data: JSON.stringify(data) } as MessageEvent<string>);
  }
}

const text = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `l${from + i}\n`).join("");

function fake(total: number, done: boolean) {
  const streams: Stream[] = [];
  const asked: object[] = [];
  const opened: object[] = [];
  /** The page comes into use and out of it, and a slot is granted and revoked. */
  const page = { begin: () => {}, end: () => {} };
  const slot = { grant: () => {}, revoke: () => {}, claims: 0 };
  const reader: Reader = {
    whileInUse: (begin, end) => {
      Object.assign(page, { begin, end });
      begin();
      return end;
    },
    claim: (grant, revoke) => {
      Object.assign(slot, { grant, revoke });
      slot.claims += 1;
      grant();
      return () => {
        slot.claims -= 1;
      };
    },
    page: async (query) => {
      asked.push(query);
      const from = query.from ?? Math.max(1, total - (query.tail ?? 0) + 1);
      const to = Math.min(total, from + query.limit - 1);
      return { from, to, next: to + 1, text: from > total ? "" : text(from, to), done };
    },
    open: (query) => {
      opened.push(query);
      const stream = new Stream();
      streams.push(stream);
      return stream as unknown as EventSource;
    },
  };
  return { reader, streams, asked, opened, page, slot };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(100);

describe("LogSource", () => {
  it("begins at the end and reads other lines when they are looked at", async () => {
    const { reader, asked, opened } = fake(5_000, true);
    const source = new LogSource(reader, 2);
    source.start();
    await settle();
    expect(source.get()).toMatchObject({ status: "done" });
    expect(source.get().window.last).toBe(5_000);
    expect(source.get().window.line(1)).toBeUndefined();
    expect(opened).toEqual([]);
    source.ensure({ from: 1, to: 40 });
    await settle();
    expect(source.get().window.line(1)).toBe("l1");
    expect(asked).toHaveLength(2);
    source.ensure({ from: 1, to: 40 });
    await settle();
    expect(asked).toHaveLength(2);
  });

  it("follows behind what was read and turns to a newer attempt", async () => {
    const { reader, streams, opened } = fake(3, false);
    const source = new LogSource(reader, 0);
    const told = vi.fn();
    source.subscribe(told);
    source.start();
    await settle();
    expect(opened).toEqual([{ from: 4, attempt: 0, only: false }]);
    const [stream] = streams;
    stream?.tell("attempt", { number: 1, id: "9", address: "http://a" });
    stream?.tell("lines", { attempt: 1, from: 4, to: 5, text: "x\ny\n", note: "" });
    await settle();
    expect(source.get().window.line(5)).toBe("y");
    stream?.tell("attempt", { number: 2, id: "10", address: "http://b" });
    expect(source.get()).toMatchObject({ attempt: 2, address: "http://b" });
    expect(source.get().window.last).toBe(0);
    stream?.tell("end", { state: "failed", final: true, message: "no" });
    expect(stream?.closed).toBe(true);
    expect(source.get()).toMatchObject({ status: "done", end: { state: "failed", message: "no" } });
    expect(told).toHaveBeenCalled();
  });

  it("comes back when a stream breaks for good, and misses no line", async () => {
    const { reader, streams, opened } = fake(3, false);
    const source = new LogSource(reader, 1);
    source.start();
    await settle();
    const [stream] = streams;
    if (stream) stream.readyState = 2;
    stream?.tell("error", {});
    expect(source.get().status).toBe("away");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(opened).toEqual([
      { from: 4, attempt: 1, only: true },
      { from: 4, attempt: 1, only: true },
    ]);
    source.stop();
    expect(streams[1]?.closed).toBe(true);
  });

  it("waits for a run that has no attempt, and tells other problems", async () => {
    const { reader, opened } = fake(0, false);
    const refuse = (status: number): Reader => ({ ...reader, page: () => Promise.reject(new Problem(status, {})) });
    const early = new LogSource(refuse(404), 0);
    early.start();
    await settle();
    expect(early.get().status).toBe("waiting");
    expect(opened).toHaveLength(1);
    const forbidden = new LogSource(refuse(403), 0);
    forbidden.start();
    await settle();
    expect(forbidden.get()).toMatchObject({ status: "failed" });
    expect(forbidden.get().problem?.status).toBe(403);
  });

  it("holds no stream while the page is out of use, and goes on behind the last line of the attempt", async () => {
    const { reader, streams, opened, page, slot } = fake(3, false);
    const source = new LogSource(reader, 0);
    source.start();
    await settle();
    streams[0]?.tell("attempt", { number: 2, id: "9", address: "http://a" });
    streams[0]?.tell("lines", { attempt: 2, from: 4, to: 5, text: "x\ny\n", note: "" });
    page.end();
    expect(streams[0]?.closed).toBe(true);
    expect(slot.claims).toBe(0);
    streams[0]?.tell("lines", { attempt: 2, from: 6, to: 6, text: "z\n", note: "" });
    await vi.advanceTimersByTimeAsync(60_000);
    page.begin();
    expect(slot.claims).toBe(1);
    expect(opened.at(-1)).toEqual({ from: 6, attempt: 2, only: false });
    streams[1]?.tell("end", { state: "succeeded", final: true, message: "" });
    expect(slot.claims).toBe(0);
    page.end();
    page.begin();
    expect(opened).toHaveLength(2);
  });

  it("begins to read again when the page went away before the first answer", async () => {
    const { reader, asked, page } = fake(3, true);
    const source = new LogSource(reader, 1);
    source.start();
    page.end();
    await settle();
    expect(source.get().status).toBe("loading");
    page.begin();
    await settle();
    expect(source.get().status).toBe("done");
    expect(asked).toHaveLength(2);
  });

  it("gives its slot to another log for a while, and misses no line", async () => {
    const { reader, streams, opened, slot } = fake(3, false);
    const source = new LogSource(reader, 1);
    source.start();
    await settle();
    streams[0]?.tell("lines", { attempt: 1, from: 4, to: 4, text: "x\n", note: "" });
    slot.revoke();
    expect(streams[0]?.closed).toBe(true);
    expect(source.get().status).toBe("streaming");
    slot.grant();
    expect(opened.at(-1)).toEqual({ from: 5, attempt: 1, only: true });
    source.stop();
    expect(streams[1]?.closed).toBe(true);
    expect(slot.claims).toBe(0);
  });
});
