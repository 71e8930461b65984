import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { urlOf } from "./client";
import { Live } from "./live";
import type { Schema } from "./types";

/** The kinds of events that the server tells. */
export type EventKind = "run" | "job" | "executor" | "alarm";

type Listener = (kind: EventKind, data: Record<string, unknown>) => void;

/** The first paths of reads that an event of a kind makes old. */
export const madeOldBy: Record<EventKind, string[]> = {
  run: ["/runs", "/dead-letters", "/workflow-runs", "/backfills"],
  job: ["/jobs"],
  executor: ["/executors", "/groups"],
  alarm: ["/alarms", "/alarm/notifications", "/alarm/channels"],
};

const kinds = Object.keys(madeOldBy) as EventKind[];

/** How long events are gathered before reads are made anew, in ms: a storm of events is one read. */
export const gatherFor = 1_000;

/** The one stream of events of this tab: open while somebody listens. */
class Events {
  private readonly listeners = new Set<Listener>();
  private readonly resets = new Set<() => void>();
  private readonly live = new Live({
    open: (after) => new EventSource(urlOf("/events", undefined, { after })),
    on: Object.fromEntries(kinds.map((kind) => [kind, (data: unknown) => this.tell(kind, data)])),
    onLost: () => {
      for (const reset of this.resets) reset();
    },
  });

  /** Calls back for each event, and for each loss of events, until the returned function is called. */
  listen(listener: Listener, reset: () => void): () => void {
    this.listeners.add(listener);
    this.resets.add(reset);
    this.live.start();
    return () => {
      this.listeners.delete(listener);
      this.resets.delete(reset);
      if (this.listeners.size === 0) this.live.stop();
    };
  }

  private tell(kind: EventKind, data: unknown): void {
    for (const listener of this.listeners) listener(kind, data as Record<string, unknown>);
  }
}

const events = new Events();

/** Gathers kinds of events and tells them together after `wait` ms. */
export function gather(tell: (kinds: Set<EventKind>) => void, wait = gatherFor) {
  let waiting = new Set<EventKind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(kind: EventKind) {
      waiting.add(kind);
      timer ??= setTimeout(() => {
        const told = waiting;
        waiting = new Set();
        timer = undefined;
        tell(told);
      }, wait);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}

/** Whether a read by its path is old after kinds of events. A log is followed by its own stream. */
export function isOld(path: string, told: ReadonlySet<EventKind>): boolean {
  if (path.includes("/log")) return false;
  return [...told].some((kind) => madeOldBy[kind].some((one) => path === one || path.startsWith(`${one}/`)));
}

function refresh(queries: QueryClient, told: Set<EventKind>): void {
  void queries.invalidateQueries({ predicate: (query) => isOld(String(query.queryKey[0]), told) });
}

/** Keeps all reads on the page fresh with what the server tells. Used once, by the shell. */
export function useLiveReads(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const gathered = gather((told) => refresh(queries, told));
    const stop = events.listen(
      (kind) => gathered.add(kind),
      () => void queries.invalidateQueries(),
    );
    return () => {
      stop();
      gathered.stop();
    };
  }, [queries]);
}

/** Calls back for each event of a kind, for pages that show more than reads made anew. Keep `then` stable. */
export function useEvents(kind: EventKind, then: (data: Record<string, unknown>) => void): void {
  useEffect(
    () =>
      events.listen(
        (told, data) => {
          if (told === kind) then(data);
        },
        () => {},
      ),
    [kind, then],
  );
}

/**
 * What goes on in a namespace, all of them when it is empty, told by the server whenever it changes; undefined until
 * the first word of it.
 */
export function useSummary(namespace: string, zone: string): Schema<"Summary"> | undefined {
  const [summary, setSummary] = useState<Schema<"Summary">>();
  useEffect(() => {
    setSummary(undefined); // that of another namespace is none of this one
    const live = new Live({
      open: () => new EventSource(urlOf("/summary/stream", undefined, { namespace, zone })),
      on: { summary: (data) => setSummary(data as Schema<"Summary">) },
      onLost: () => {},
    });
    live.start();
    return () => live.stop();
  }, [namespace, zone]);
  return summary;
}
