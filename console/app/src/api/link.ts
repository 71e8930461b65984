import { type Ask, silentFor, type Tell } from "./hub";
import { whileInUse } from "./page";

/** The line to a hub. */
export type Line = { send: (ask: Ask) => void; close: () => void };

export type LinkConfig = {
  /** Where the events are. */
  url: () => string;
  /** Opens a connection to the hub of a user; `fail` reports that another one is needed. */
  connect: (user: string, hear: (tell: Tell) => void, fail: () => void) => Line;
  onEvent: (name: string, data: Record<string, unknown>) => void;
  /**
   * Events did not come: what was read before is old. `begun` says that the link has just been made, so that only what
   * had been read before may be old, and `first` that it never stood before.
   */
  onMissed: (how: { begun: boolean; first: boolean }) => void;
  whileInUse?: typeof whileInUse;
};

type Claim = { grant: () => void; revoke: () => void; granted: boolean };

/** The link of this window to the hub that all windows share. It is made while the page is in use. */
export class Link {
  private readonly summaries = new Map<string, number>();
  private readonly claims = new Map<number, Claim>();
  private nextClaim = 1;
  private line: Line | null = null;
  private at = "";
  private begun = false;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private release: (() => void) | null = null;

  constructor(private readonly config: LinkConfig) {}

  /** Makes the link as a user, until the returned function is called. Each user has a hub of its own. */
  start(user: string): () => void {
    this.at = "";
    this.release = (this.config.whileInUse ?? whileInUse)(
      () => this.begin(user),
      () => this.end(),
    );
    return () => {
      this.release?.();
      this.release = null;
    };
  }

  /** Asks for the summary of a namespace, "" for all of them, until the returned function is called. */
  wantSummary(space: string): () => void {
    const count = (by: number) => {
      const now = (this.summaries.get(space) ?? 0) + by;
      if (now > 0) this.summaries.set(space, now);
      else this.summaries.delete(space);
      this.line?.send({ say: "summaries", summaries: [...this.summaries.keys()] });
    };
    count(1);
    return () => count(-1);
  }

  /** Asks for a slot for a connection of its own: `grant` and `revoke` are called until the returned function is. */
  claim(grant: () => void, revoke: () => void): () => void {
    const id = this.nextClaim++;
    this.claims.set(id, { grant, revoke, granted: false });
    this.line?.send({ say: "claim", id });
    return () => {
      this.claims.delete(id);
      this.line?.send({ say: "free", id });
    };
  }

  private begin(user: string): void {
    this.end();
    const line = this.config.connect(
      user,
      (tell) => {
        if (line === this.line) this.hear(tell, user);
      },
      () => {
        if (line === this.line) this.begin(user);
      },
    );
    this.line = line;
    this.begun = true;
    line.send({ say: "enter", url: this.config.url(), after: this.at, summaries: [...this.summaries.keys()] });
    for (const id of this.claims.keys()) line.send({ say: "claim", id });
    this.listen(user);
  }

  private end(): void {
    clearTimeout(this.silence);
    this.line?.send({ say: "leave" });
    this.line?.close();
    this.line = null;
    for (const claim of this.claims.values()) this.turn(claim, false);
  }

  private hear(tell: Tell, user: string): void {
    this.listen(user);
    if (tell.say === "slot") {
      const claim = this.claims.get(tell.id);
      if (claim) this.turn(claim, tell.granted);
      if (!tell.granted) this.line?.send({ say: "closed", id: tell.id });
      return;
    }
    if (tell.say === "beat") {
      this.line?.send({ say: "beat" });
      return;
    }
    const how = { begun: this.begun, first: this.at === "" };
    this.begun = false;
    this.at = tell.at;
    if (tell.missed) this.config.onMissed(how);
    for (const [name, data] of tell.events) this.config.onEvent(name, data as Record<string, unknown>);
    this.line?.send({ say: "done" });
  }

  private turn(claim: Claim, granted: boolean): void {
    if (claim.granted === granted) return;
    claim.granted = granted;
    if (granted) claim.grant();
    else claim.revoke();
  }

  /** A hub that is silent for long has ended or dropped this window: reconnect. */
  private listen(user: string): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.begin(user), silentFor);
  }
}
