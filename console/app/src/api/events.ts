import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { urlOf } from "./client";
import { connect } from "./connect";
import { spaceOf } from "./hub";
import { Link } from "./link";
import type { Schema } from "./types";

/** The kinds of events about changes that the server sends. */
export type EventKind = "run" | "job" | "executor" | "alarm";

type Data = Record<string, unknown>;

/** The first paths of reads that an event of a kind makes old. */
export const madeOldBy: Record<EventKind, string[]> = {
  run: ["/runs", "/dead-letters", "/workflow-runs", "/backfills"],
  job: ["/jobs"],
  executor: ["/executors", "/groups"],
  alarm: ["/alarms", "/alarm/notifications", "/alarm/channels"],
};

const kinds = Object.keys(madeOldBy) as EventKind[];

/** How long events are gathered before reads are made again, in ms: a storm of events is one read. */
export const gatherFor = 1_000;

const listeners = new Map<string, Set<(data: Data) => void>>();

/** Calls back for each event of a name until the returned function is called. */
function listen(name: string, then: (data: Data) => void): () => void {
  const all = listeners.get(name) ?? new Set();
  listeners.set(name, all);
  all.add(then);
  return () => all.delete(then);
}

/** What is done when events were missed: set by the shell, which has all reads. */
let onMissed: (how: { begun: boolean; first: boolean }) => void = () => {};

const link = new Link({
  url: () => urlOf("/events"),
  connect,
  onEvent: (name, data) => {
    for (const then of listeners.get(name) ?? []) then(data);
  },
  onMissed: (how) => onMissed(how),
});

/** Asks for one of the few slots for connections that stay open, as following a log takes one. See [Link.claim]. */
export const claimSlot: Link["claim"] = (grant, revoke) => link.claim(grant, revoke);

/** Gathers kinds of events and passes them on together after `wait` ms. */
export function gather(pass: (kinds: Set<EventKind>) => void, wait = gatherFor) {
  let waiting = new Set<EventKind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(kind: EventKind) {
      waiting.add(kind);
      timer ??= setTimeout(() => {
        const gathered = waiting;
        waiting = new Set();
        timer = undefined;
        pass(gathered);
      }, wait);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}

/** Whether a read by its path is old after kinds of events. A log is followed by its own stream. */
export function isOld(path: string, after: ReadonlySet<EventKind>): boolean {
  if (path.includes("/log")) return false;
  return [...after].some((kind) => madeOldBy[kind].some((one) => path === one || path.startsWith(`${one}/`)));
}

const oldAfter = (after: ReadonlySet<EventKind>) => ({
  predicate: (query: { queryKey: readonly unknown[] }) => isOld(String(query.queryKey[0]), after),
});

/** Reads again what may be old after events were missed. */
export function readMissed(
  queries: Pick<QueryClient, "invalidateQueries">,
  how: { begun: boolean; first: boolean },
): void {
  // Reads that are under way since the link began need not begin again.
  const filter = how.first ? oldAfter(new Set(kinds)) : {};
  void queries.invalidateQueries(filter, { cancelRefetch: !how.begun });
}

/** Keeps all reads on the page fresh with what the server sends to a user. Used once, by the shell. */
export function useLiveReads(user: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const gathered = gather((after) => void queries.invalidateQueries(oldAfter(after)));
    const stops = kinds.map((kind) => listen(kind, () => gathered.add(kind)));
    onMissed = (how) => readMissed(queries, how);
    stops.push(link.start(user));
    return () => {
      for (const stop of stops) stop();
      gathered.stop();
    };
  }, [queries, user]);
}

/** Calls back for each event of a kind, for pages that show more than reads. Keep `then` stable. */
export function useEvents(kind: EventKind, then: (data: Data) => void): void {
  useEffect(() => listen(kind, then), [kind, then]);
}

/**
 * What goes on in a namespace, in all of them when it is empty, whenever it changes; undefined until the server has
 * sent it.
 */
export function useSummary(namespace: string): Schema<"Summary"> | undefined {
  const [summary, setSummary] = useState<Schema<"Summary">>();
  useEffect(() => {
    setSummary(undefined); // that of another namespace
    const stop = listen("summary", (data) => {
      if (spaceOf(data) === namespace) setSummary(data as Schema<"Summary">);
    });
    const release = link.wantSummary(namespace);
    return () => {
      release();
      stop();
    };
  }, [namespace]);
  return summary;
}
