/** What is needed of an EventSource; tests have one of their own. */
export type Source = {
  readonly readyState: number;
  addEventListener: (name: string, then: (event: MessageEvent<string>) => void) => void;
  close: () => void;
};

export type LiveConfig = {
  /** Opens the stream behind an event; "" from now on. */
  open: (after: string) => Source;
  /** The names of the events that are passed on. */
  names: readonly string[];
  onEvent: (name: string, data: unknown) => void;
  /** The stream is at `last`; `resumed`: no earlier event was lost. */
  onPlace: (resumed: boolean) => void;
};

const closed = 2;

/** A stream of server-sent events that reopens when it breaks, behind the last event that has come. */
export class Live {
  /** The id of the last event; "" before the first one. */
  last = "";
  private source: Source | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running = false;

  constructor(private readonly config: LiveConfig) {}

  /** Opens the stream behind an event, from now on when that is "". */
  start(after: string): void {
    this.stop();
    this.running = true;
    this.last = after;
    this.connect();
  }

  /** Opens the stream again behind the last event: what it asks for has changed. */
  reopen(): void {
    if (!this.running) return;
    this.drop();
    this.connect();
  }

  stop(): void {
    this.running = false;
    this.failures = 0;
    this.drop();
  }

  private drop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.source?.close();
    this.source = null;
  }

  private connect(): void {
    const source = this.config.open(this.last);
    this.source = source;
    const on = (name: string, then: (data: unknown) => void) =>
      source.addEventListener(name, (event) => {
        if (source !== this.source) return;
        const data = parse(event.data);
        if (data === undefined) return; // the browser's own "open" has none either
        this.failures = 0;
        if (event.lastEventId) this.last = event.lastEventId;
        then(data);
      });
    for (const name of this.config.names) on(name, (data) => this.config.onEvent(name, data));
    on("open", (data) => this.config.onPlace(Boolean((data as { resumed?: boolean }).resumed)));
    on("reset", () => this.config.onPlace(false));
    source.addEventListener("error", () => {
      // While it is not closed the browser comes back by itself.
      if (source !== this.source || source.readyState !== closed) return;
      this.drop();
      this.failures += 1;
      this.timer = setTimeout(() => this.connect(), Math.min(60_000, 1_000 * 2 ** this.failures));
    });
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
