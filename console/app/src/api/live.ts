/** What is needed of an EventSource; tests have one of their own. */
export type Source = {
  readonly readyState: number;
  addEventListener: (name: string, then: (event: MessageEvent<string>) => void) => void;
  close: () => void;
};

/** When the page can be seen. */
export type Sight = { visible: () => boolean; onChange: (then: () => void) => () => void };

const page: Sight = {
  visible: () => document.visibilityState === "visible",
  onChange: (then) => {
    document.addEventListener("visibilitychange", then);
    return () => document.removeEventListener("visibilitychange", then);
  },
};

export type LiveConfig = {
  /** Opens the stream behind an event; "" from now on. */
  open: (after: string) => Source;
  /** What is done with each kind of event, by its name. */
  on: Record<string, (data: unknown) => void>;
  /** Events may have been missed: what is shown must be read anew. */
  onLost: () => void;
  sight?: Sight;
  /** How long a page that nobody sees keeps its stream, in ms. Browsers have few connections to a server. */
  hiddenFor?: number;
};

const closed = 2;

/**
 * A stream of server-sent events that comes back by itself: behind the last event when the server still has
 * what follows, and with onLost when it cannot say. A hidden page lets go of it.
 */
export class Live {
  private source: Source | null = null;
  private last = "";
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopWatching: (() => void) | null = null;

  constructor(private readonly config: LiveConfig) {}

  /** Opens the stream, once. */
  start(): void {
    if (this.stopWatching) return;
    const sight = this.config.sight ?? page;
    const look = () => {
      clearTimeout(this.timer);
      this.timer = undefined;
      if (!sight.visible()) this.timer = setTimeout(() => this.drop(), this.config.hiddenFor ?? 30_000);
      else if (!this.source) this.connect();
    };
    this.stopWatching = sight.onChange(look);
    look();
  }

  /** Closes it for good. */
  stop(): void {
    this.stopWatching?.();
    this.stopWatching = null;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.drop();
  }

  private drop(): void {
    this.source?.close();
    this.source = null;
  }

  private connect(): void {
    this.timer = undefined;
    const source = this.config.open(this.last);
    this.source = source;
    for (const [name, then] of Object.entries(this.config.on)) {
      source.addEventListener(name, (event) => {
        this.heard(event);
        const data = parse(event.data);
        if (data !== undefined) then(data);
      });
    }
    source.addEventListener("open", (event) => this.heard(event));
    source.addEventListener("reset", (event) => {
      this.heard(event);
      this.config.onLost();
    });
    source.addEventListener("error", () => {
      // While it is not closed the browser comes back by itself.
      if (source !== this.source || source.readyState !== closed) return;
      this.drop();
      this.failures += 1;
      this.timer = setTimeout(() => this.connect(), Math.min(60_000, 1_000 * 2 ** this.failures));
    });
  }

  private heard(event: MessageEvent<string>): void {
    this.failures = 0;
    if (event.lastEventId) this.last = event.lastEventId;
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
