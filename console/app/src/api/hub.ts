import { Live, type Source } from "./live";
import { type Claimed, Slots } from "./slots";

/** What a window asks of the hub. */
export type Ask =
  /** It is in use and stands behind an event, "" before its first one. `url` is the address of the events. */
  | { say: "enter"; url: string; after: string; summaries: string[] }
  /** It shows the summaries of these namespaces; "" is all of them. */
  | { say: "summaries"; summaries: string[] }
  /** It has taken the last batch. */
  | { say: "done" }
  /** It is still there. */
  | { say: "beat" }
  /** It wants to hold a connection of its own, has closed it because its slot was revoked, and wants none any more. */
  | { say: "claim"; id: number }
  | { say: "closed"; id: number }
  | { say: "free"; id: number }
  | { say: "leave" };

/** A message from the hub to a window. */
export type Tell =
  /** Events up to the one with the ID `at`. `missed`: earlier events were lost. */
  | { say: "batch"; at: string; missed: boolean; events: [name: string, data: unknown][] }
  | { say: "slot"; id: number; granted: boolean }
  | { say: "beat" };

/** The names of the events about changes. */
export const changeNames = ["run", "job", "executor", "alarm"] as const;

const summaryName = "summary";

/** The names that namespaces may have; "" stands for all of them. */
const spacePattern = /^[a-z0-9._-]{0,64}$/;

/** How many namespaces have their summary on the stream: the server takes no more. */
export const mostSummaries = 8;

/** Limit of queued events for a window. A window further behind gets `missed`. */
const mostWaiting = 1_024;

/** How many connections one window may ask for. */
const mostClaims = 16;

/** The time between two beats, and after how long without one a window or a hub counts as gone, in ms. */
export const beatEvery = 10_000;
export const silentFor = 30_000;

/** How long changes of what windows show are gathered before the stream reopens, in ms. */
const gatherSummaries = 200;

type Member = {
  tell: (tell: Tell) => void;
  /** The last event the window had seen when it joined; null once it receives new ones. */
  after: string | null;
  summaries: string[];
  events: [string, unknown][];
  missed: boolean;
  /** It has not taken the last batch yet. */
  busy: boolean;
  heardAt: number;
  claims: Map<number, Claimed>;
};

/**
 * Shares one stream of events among all windows that are in use, and hands out the few slots for further connections.
 * It runs in a shared worker, or in the page where there are none. Web Locks, by which windows could choose one of
 * them, need HTTPS: with it comes HTTP/2, and nothing has to be shared.
 */
export class StreamHub {
  private readonly members = new Set<Member>();
  private readonly slots = new Slots();
  private readonly figures = new Map<string, unknown>();
  private readonly live: Live;
  private url = "";
  /** What the stream was opened behind, and whether it stands. */
  private from = "";
  private placed = false;
  private asked: string[] = [];
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private beating: ReturnType<typeof setInterval> | undefined;

  constructor(open: (url: string) => Source) {
    this.live = new Live({
      open: (after) => {
        this.asked = this.wanted();
        return open(addressOf(this.url, after, this.asked));
      },
      names: [...changeNames, summaryName],
      onEvent: (name, data) => this.pass(name, data),
      onPlace: (resumed) => this.place(resumed),
    });
  }

  /** Takes a window; the returned function hears what it asks. */
  join(tell: (tell: Tell) => void): (ask: Ask) => void {
    const member: Member = {
      tell,
      after: null,
      summaries: [],
      events: [],
      missed: false,
      busy: false,
      heardAt: Date.now(),
      claims: new Map(),
    };
    return (ask) => {
      member.heardAt = Date.now();
      if (ask.say === "enter") this.enter(member, ask);
      else if (this.members.has(member)) this.hear(member, ask);
    };
  }

  private hear(member: Member, ask: Exclude<Ask, { say: "enter" }>): void {
    switch (ask.say) {
      case "summaries":
        member.summaries = ask.summaries;
        this.tellFigures(member);
        this.gather();
        break;
      case "done":
        member.busy = false;
        this.flush(member);
        break;
      case "claim":
        this.claim(member, ask.id);
        break;
      case "closed":
        member.claims.get(ask.id)?.closed();
        break;
      case "free":
        member.claims.get(ask.id)?.free();
        member.claims.delete(ask.id);
        break;
      case "leave":
        this.leave(member);
    }
  }

  private claim(member: Member, id: number): void {
    if (member.claims.has(id) || member.claims.size >= mostClaims) return;
    const turn = (granted: boolean) => member.tell({ say: "slot", id, granted });
    const claimed = this.slots.claim(
      () => turn(true),
      () => turn(false),
    );
    member.claims.set(id, claimed);
  }

  private enter(member: Member, ask: Extract<Ask, { say: "enter" }>): void {
    const first = this.members.size === 0;
    this.members.add(member);
    member.after = ask.after;
    member.summaries = ask.summaries;
    if (first) {
      this.url = ask.url;
      this.from = ask.after;
      this.placed = false;
      this.live.start(ask.after);
      this.beating = setInterval(() => this.beat(), beatEvery);
      return;
    }
    if (this.placed) this.welcome(member, ask.after === this.live.last);
    this.gather();
  }

  private leave(member: Member): void {
    if (!this.members.delete(member)) return;
    for (const claim of member.claims.values()) claim.free();
    member.claims.clear();
    if (this.members.size > 0) {
      this.gather();
      return;
    }
    clearInterval(this.beating);
    clearTimeout(this.gathering);
    this.gathering = undefined;
    this.figures.clear();
    this.live.stop();
  }

  /** The stream stands: at once after it was opened, and again after each break. */
  private place(resumed: boolean): void {
    const from = this.placed ? null : this.from;
    this.placed = true;
    for (const member of this.members) {
      if (member.after !== null) this.welcome(member, resumed && member.after === from);
      else if (!resumed) {
        member.missed = true;
        this.flush(member);
      }
    }
  }

  /** From here on a window receives every event. */
  private welcome(member: Member, whole: boolean): void {
    member.after = null;
    member.busy = true;
    member.tell({ say: "batch", at: this.live.last, missed: !whole, events: [] });
    this.tellFigures(member);
  }

  private pass(name: string, data: unknown): void {
    if (name === summaryName) this.figures.set(spaceOf(data), data);
    for (const member of this.members) {
      if (member.after !== null || (name === summaryName && !member.summaries.includes(spaceOf(data)))) continue;
      this.push(member, name, data);
    }
  }

  private push(member: Member, name: string, data: unknown): void {
    if (member.events.length >= mostWaiting) {
      member.events = [];
      member.missed = true;
    }
    member.events.push([name, data]);
    this.flush(member);
  }

  private flush(member: Member): void {
    const { events, missed } = member;
    if (member.busy || member.after !== null || (events.length === 0 && !missed)) return;
    member.events = [];
    member.missed = false;
    member.busy = true;
    member.tell({ say: "batch", at: this.live.last, missed, events });
  }

  /** Sends a window the summaries received before it subscribed. */
  private tellFigures(member: Member): void {
    for (const space of member.summaries) {
      const data = this.figures.get(space);
      if (data !== undefined && member.after === null) this.push(member, summaryName, data);
    }
  }

  private beat(): void {
    const now = Date.now();
    for (const member of [...this.members]) {
      if (now - member.heardAt > silentFor) this.leave(member);
      else member.tell({ say: "beat" });
    }
  }

  /** The namespaces whose summaries windows show. An invalid name, as typed in the address bar, would end the stream. */
  private wanted(): string[] {
    const all = new Set([...this.members].flatMap((member) => member.summaries));
    return [...all]
      .filter((space) => spacePattern.test(space))
      .slice(0, mostSummaries)
      .sort();
  }

  /** Reopens the stream when other summaries are wanted than it brings. */
  private gather(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      if (this.wanted().join() === this.asked.join()) return;
      for (const space of this.figures.keys()) if (!this.wanted().includes(space)) this.figures.delete(space);
      this.live.reopen();
    }, gatherSummaries);
  }
}

/** The address of a stream behind an event, with the summaries of namespaces. */
export function addressOf(url: string, after: string, summaries: readonly string[]): string {
  const query = new URLSearchParams();
  if (after) query.set("after", after);
  if (summaries.length > 0) {
    query.set("kinds", [...changeNames, summaryName].join());
    query.set("summary_of", summaries.map((space) => space || "*").join());
  }
  const text = query.toString();
  return text ? `${url}?${text}` : url;
}

/** The namespace that a summary is of; "" for all of them. */
export function spaceOf(summary: unknown): string {
  return (summary as { namespace?: string }).namespace ?? "";
}
