import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

vi.mock("@/api/base", () => ({
  apiURL: new URL("http://orth.test/api/v1"),
  consoleURL: new URL("http://orth.test/console/"),
  basePath: "/console",
}));

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
  const reader: Reader = {
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
  return { reader, streams, asked, opened };
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
});
