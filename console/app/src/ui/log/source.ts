import { get, urlOf } from "@/api/client";
import { claimSlot } from "@/api/events";
import { whileInUse } from "@/api/page";
import { Problem, toProblem } from "@/api/problem";
import type { RunState, Schema } from "@/api/types";
import { LogWindow, linesOf, type Range } from "./window";

/** How far a log is read. */
export type LogStatus = "loading" | "waiting" | "streaming" | "away" | "done" | "failed";

/** The state of a log. The window is always the same object; `version` changes with its content. */
export type LogSnapshot = {
  version: number;
  status: LogStatus;
  window: LogWindow;
  /** The attempt whose lines these are; 0 until it is known. */
  attempt: number;
  address: string;
  /** How much of it the server keeps. */
  kept: Schema<"LogPage">["kept"];
  /** The executor could not be asked: what is shown is what the server has kept. */
  fromMemory: boolean;
  note: string;
  problem: Problem | null;
  /** The final state of the run, once the stream has reported it. */
  end: { state: RunState; reason: string; message: string } | null;
};

/** What a source reads with, for tests to stand in. */
export type LogReader = {
  page: (query: {
    from?: number;
    tail?: number;
    limit: number;
    attempt: number;
    at?: string;
  }) => Promise<Schema<"LogPage">>;
  open: (query: { from: number; attempt: number; only: boolean }) => EventSource;
  /** Asks for a slot for a connection that stays open. See [Link.claim]. */
  claim: (grant: () => void, revoke: () => void) => () => void;
  whileInUse: (begin: () => void, end: () => void) => () => void;
};

/** Reads a run's log from the server. */
export function readerOf(runId: string): LogReader {
  return {
    page: (query) => get("/runs/{id}/log", { path: { id: runId }, query }),
    open: (query) => new EventSource(urlOf("/runs/{id}/log/stream", { id: runId }, query)),
    claim: claimSlot,
    whileInUse,
  };
}

const tellEvery = 60;
const tail = 1_000;

/**
 * The log of one attempt, or of the newest one with attempt 0: it begins with the last lines, follows what is
 * written, and reads other lines when they are looked at.
 */
export class LogSource {
  private snapshot: LogSnapshot;
  private readonly listeners = new Set<() => void>();
  private stream: EventSource | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  /** Counts the times that the page was put out of use: what was read for one before counts no more. */
  private life = 0;
  private release: (() => void) | null = null;
  private free: (() => void) | null = null;
  private reading = false;
  private wanted: Range | null = null;
  private failures = 0;

  constructor(
    private readonly reader: LogReader,
    private readonly attempt: number,
    private readonly most = 50_000,
  ) {
    this.snapshot = blank(new LogWindow(most), attempt);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get = (): LogSnapshot => this.snapshot;

  /** Reads while the page is in use. */
  start(): void {
    this.release = this.reader.whileInUse(
      () => this.use(),
      () => this.pause(),
    );
  }

  /** Ends reading for good, or until it is started again. */
  stop(): void {
    this.release?.();
    this.release = null;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Reads lines that are looked at and not in memory. The newest wish counts. */
  ensure(range: Range): void {
    this.snapshot.window.touch(range);
    this.wanted = range;
    if (!this.reading) void this.fill();
  }

  /** The line that was written first at or behind an instant. */
  async lineAt(at: string): Promise<number> {
    const page = await this.reader.page({ at, limit: 1, attempt: this.shown });
    return page.to >= page.from ? page.from : Math.max(1, page.from - 1);
  }

  private use(): void {
    const { status } = this.snapshot;
    if (status === "loading") void this.begin();
    else if (status !== "done" && status !== "failed") this.follow();
    if (this.wanted && !this.reading) void this.fill();
  }

  private pause(): void {
    this.life += 1;
    clearTimeout(this.again);
    this.again = undefined;
    this.letGo();
  }

  private async begin(): Promise<void> {
    const { life } = this;
    try {
      const page = await this.reader.page({ tail, limit: tail, attempt: this.attempt });
      if (life !== this.life) return;
      this.take(page);
      if (page.done) return this.change({ status: "done" }, true);
      this.change({ status: "streaming" }, true);
      this.follow();
    } catch (error) {
      if (life !== this.life) return;
      const problem = toProblem(error);
      // A run has no log before its first attempt: the stream waits for it.
      if (problem.status === 404 || problem.status === 409) {
        this.change({ status: "waiting" }, true);
        this.follow();
      } else this.change({ status: "failed", problem }, true);
    }
  }

  private take(page: Schema<"LogPage">): void {
    this.snapshot.window.put(page.from, linesOf(page.text), page.note);
    this.change({ kept: page.kept, fromMemory: Boolean(page.from_memory), note: page.note ?? "" });
  }

  /** Follows what is written behind the last line, whenever there is a slot for the stream. */
  private follow(): void {
    this.letGo();
    this.free = this.reader.claim(
      () => this.open(),
      () => this.close(),
    );
  }

  /** The attempt whose lines are shown; 0 is the newest. */
  private get shown(): number {
    return this.snapshot.attempt || this.attempt;
  }

  private open(): void {
    const from = this.snapshot.window.last + 1;
    const stream = this.reader.open({ from, attempt: this.shown, only: this.attempt > 0 });
    this.stream = stream;
    const on = <T>(name: string, then: (data: T) => void) =>
      stream.addEventListener(name, (event) => {
        if (stream === this.stream) then(JSON.parse((event as MessageEvent<string>).data) as T);
      });
    on<Schema<"LogAttempt">>("attempt", (attempt) => this.turnTo(attempt));
    on<Schema<"LogLines">>("lines", (lines) => {
      this.failures = 0;
      this.snapshot.window.put(lines.from, linesOf(lines.text), lines.note);
      this.change({ status: "streaming", ...(lines.note ? { note: lines.note } : {}) });
    });
    on<Schema<"LogEnd">>("end", (end) => {
      this.letGo();
      this.change(
        {
          status: "done",
          end: { state: end.state as RunState, reason: end.reason ?? "", message: end.message ?? "" },
        },
        true,
      );
    });
    on<ConstructorParameters<typeof Problem>[1]>("problem", (body) => {
      this.letGo();
      this.change({ status: "failed", problem: new Problem(Number(body.status ?? 500), body) }, true);
    });
    stream.addEventListener("error", () => this.interrupted(stream));
  }

  /** Lines of another attempt follow: they are shown in place of the old ones. */
  private turnTo(attempt: Schema<"LogAttempt">): void {
    const other = this.snapshot.attempt !== 0 && this.snapshot.attempt !== attempt.number;
    this.change(
      {
        attempt: attempt.number,
        address: attempt.address,
        ...(other ? { window: new LogWindow(this.most), note: "", kept: undefined, fromMemory: false } : {}),
      },
      true,
    );
  }

  /** A browser reconnects with the id of the last line, unless the answer was no stream. */
  private interrupted(stream: EventSource): void {
    if (this.stream !== stream) return;
    this.change({ status: "away" }, true);
    if (stream.readyState === 2) this.retry();
  }

  private retry(): void {
    this.letGo();
    this.failures += 1;
    this.again = setTimeout(() => void this.resume(), Math.min(30_000, 1_000 * 2 ** this.failures));
  }

  /** Requests a page to learn why a stream was refused: browsers hide the reason. */
  private async resume(): Promise<void> {
    const { life } = this;
    const from = this.snapshot.window.last + 1;
    try {
      const page = await this.reader.page({ from, limit: tail, attempt: this.shown });
      if (life !== this.life) return;
      this.take(page);
      // The stream reports whether another attempt may follow.
      if (page.done && page.to < page.from && this.attempt > 0) return this.change({ status: "done" }, true);
      this.follow();
    } catch (error) {
      if (life !== this.life) return;
      const problem = toProblem(error);
      if (problem.status === 404) this.follow();
      else if (problem.status !== 0 && problem.status < 500) this.change({ status: "failed", problem }, true);
      else this.retry();
    }
  }

  private close(): void {
    this.stream?.close();
    this.stream = null;
  }

  /** Closes the stream and gives its slot back. */
  private letGo(): void {
    this.close();
    this.free?.();
    this.free = null;
  }

  private async fill(): Promise<void> {
    this.reading = true;
    try {
      for (;;) {
        const missing = this.wanted && this.snapshot.window.missing(this.wanted);
        if (!missing || !this.release) return;
        // A chunk at least, so that scrolling asks seldom.
        const from = Math.max(1, missing.from - ((missing.from - 1) % 100));
        const limit = Math.min(1_000, Math.max(200, missing.to - from + 1));
        const page = await this.reader.page({ from, limit, attempt: this.shown });
        if (!this.release) return;
        const lines = linesOf(page.text);
        // What the server does not have either must not be asked for again and again.
        if (lines.length === 0) {
          const gone = Array.from({ length: missing.to - missing.from + 1 }, () => "");
          this.snapshot.window.put(missing.from, gone, page.note);
        } else this.snapshot.window.put(page.from, lines, page.note);
        this.change({});
      }
    } catch {
      // The lines stay as they are; the next look asks again.
    } finally {
      this.reading = false;
    }
  }

  private change(what: Partial<LogSnapshot>, now = false): void {
    this.snapshot = { ...this.snapshot, ...what, version: this.snapshot.version + 1 };
    if (now) this.tell();
    else this.timer ??= setTimeout(() => this.tell(), tellEvery);
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const listener of this.listeners) listener();
  }
}

function blank(window: LogWindow, attempt: number): LogSnapshot {
  return {
    version: 0,
    status: "loading",
    window,
    attempt,
    address: "",
    kept: undefined,
    fromMemory: false,
    note: "",
    problem: null,
    end: null,
  };
}
