/** Facts reported by an executor of threads: times and durations in ms, amounts in lamports. */
export type Facts = {
  version: number;
  program: string;
  profile: string;
  mode: string;
  executor: string;
  forgo?: boolean;
  balance: number;
  floor: number;
  started?: number;
  observed?: boolean;
  trouble?: { since: number; reason: string; needed: number };
  clock: { slot: number; epoch: number; unix: number; lag: number };
  nodes: Node[];
  queue: {
    scheduled: number;
    processing: number;
    dead: number;
    ready: number;
    working: number;
    in_flight: number;
    waiting?: Record<string, number>;
  };
  totals: {
    offered: number;
    executed: number;
    superseded: number;
    gone: number;
    dead: number;
    retries: number;
    sent: number;
    resent: number;
    expired: number;
    failures?: Record<string, number>;
  };
  to_wire: Latency;
  to_confirm: Latency;
  to_settle: Latency;
  profit: { executions: number; failures: number; earned: number; spent: number };
  threads: Thread[];
  threads_total: number;
  dead: Dead[];
  reports: {
    namespace?: string;
    execute?: string;
    redrive?: string;
    waiting: number;
    dropped: number;
    sent: number;
  };
};

export type Latency = { count: number; p50: number; p99: number; max: number };
export type Node = { host: string; role: string; state: string; latency: number; failures?: number; reason?: string };

export type Thread = {
  key: string;
  id?: string;
  name?: string;
  owner: string;
  trigger: string;
  value?: string;
  unit?: string;
  due?: number;
  ready?: boolean;
  count: number;
  fiber: number;
  paused?: boolean;
  by?: string;
  outcome?: string;
  reason?: string;
  at?: number;
  earned?: number;
  spent?: number;
};

export type Dead = {
  id: string;
  thread: string;
  exec: number;
  tries: number;
  class: string;
  reason: string;
  since: number;
};

/** Reads facts; null for what this console cannot understand. */
export function readFacts(raw: unknown): Facts | null {
  const facts = raw as Facts | null | undefined;
  const whole =
    typeof facts === "object" &&
    facts !== null &&
    facts.version === 1 &&
    [facts.clock, facts.queue, facts.totals, facts.profit, facts.reports, facts.to_wire].every(
      (part) => typeof part === "object" && part !== null,
    ) &&
    [facts.nodes, facts.threads, facts.dead].every(Array.isArray);
  return whole ? facts : null;
}

/** Lamports as SOL, with all nine digits behind the point, so that columns stand one below the other. */
export function sol(lamports: number, signed = false): string {
  const whole = Math.floor(Math.abs(lamports) / 1e9);
  const rest = Math.abs(lamports) % 1e9;
  const sign = lamports < 0 ? "−" : signed && lamports > 0 ? "+" : "";
  return `${sign}${whole.toString().replace(/\B(?=(\d{3})+$)/g, " ")}.${rest.toString().padStart(9, "0")}`;
}

/** What a thread has brought. */
export const net = (one: { earned?: number; spent?: number }): number => (one.earned ?? 0) - (one.spent ?? 0);

/** The beginning and the end of an address. */
export const shortKey = (key: string): string => (key.length > 12 ? `${key.slice(0, 4)}…${key.slice(-4)}` : key);

/** How a thread stands, the worst first. */
export type Standing = "dead" | "paused" | "ready" | "waits" | "idle";

export function standing(one: Thread): Standing {
  if (one.outcome === "dead") return "dead";
  if (one.paused) return "paused";
  if (one.ready) return "ready";
  return one.unit ? "waits" : "idle";
}

/** Due time of a thread in ms since 1970, estimated by the chain's clock; undefined if unknown. */
export function dueAt(one: Thread, clock: Facts["clock"]): number | undefined {
  if (one.unit === "seconds" && one.due !== undefined) return one.due * 1000;
  if (one.unit === "slots" && one.due !== undefined && clock.unix > 0)
    return clock.unix * 1000 + (one.due - clock.slot) * 400;
  return undefined;
}

/** The columns by which threads can be sorted. */
export type SortKey = "thread" | "due" | "count" | "earned" | "spent" | "net" | "last";

/** Threads that match a text, sorted. Without a sort the reported order is kept. */
export function arrange(threads: readonly Thread[], clock: Facts["clock"], text: string, sort: string): Thread[] {
  const wanted = text.trim().toLowerCase();
  const found = threads.filter((one) =>
    [one.key, one.id, one.name, one.owner, one.trigger, one.value, one.reason].some((part) =>
      part?.toLowerCase().includes(wanted),
    ),
  );
  const falling = sort.startsWith("-");
  const by = values[(falling ? sort.slice(1) : sort) as SortKey];
  if (!by) return found;
  return found.sort((a, b) => {
    const [x, y] = [by(a, clock), by(b, clock)];
    if (x === y) return 0;
    if (x === undefined) return 1; // what has none stays below, whichever way
    if (y === undefined) return -1;
    return (x < y ? -1 : 1) * (falling ? -1 : 1);
  });
}

const values: Record<SortKey, (one: Thread, clock: Facts["clock"]) => number | string | undefined> = {
  thread: (one) => (one.id || one.key).toLowerCase(),
  due: (one, clock) => (one.ready ? 0 : dueAt(one, clock)),
  count: (one) => one.count,
  earned: (one) => one.earned ?? 0,
  spent: (one) => one.spent ?? 0,
  net,
  last: (one) => one.at,
};

/** The share of executions that succeeded of those that ended here by themselves; undefined before the first. */
export function success(totals: Facts["totals"]): number | undefined {
  const ended = totals.executed + totals.dead;
  return ended > 0 ? totals.executed / ended : undefined;
}

/** The command line that drives dead letters again. */
export const redriveCommand = (ids: readonly string[]): string => `orth-solana queue redrive ${ids.join(" ")}`;
