import type { Run, RunState } from "@/api/types";

/** The content of a run event. */
export type RunEvent = {
  change: string;
  at: string;
  namespace?: string;
  group?: string;
  job?: string;
  run: {
    id: string;
    state: RunState;
    final: boolean;
    cause: Run["cause"];
    reason?: string;
    message?: string;
    attempt_id?: string;
    planned_at?: string;
    shard?: Run["shard"];
  };
};

/** Reads an event of the stream; null when it is none of a run. */
export function runEventOf(data: Record<string, unknown>): RunEvent | null {
  const run = data.run as RunEvent["run"] | undefined;
  if (!run || typeof run.id !== "string" || typeof run.state !== "string") return null;
  const named = data.job as { key?: string } | undefined;
  return {
    change: String(data.change ?? ""),
    at: String(data.at ?? ""),
    namespace: data.namespace as string | undefined,
    group: data.group as string | undefined,
    job: named?.key,
    run,
  };
}

/** The run after an event. Events may come late: one that is behind what is shown changes nothing. */
export function merged(run: Run, event: RunEvent): Run {
  const told = event.run;
  if (run.id !== told.id || (run.final && !told.final)) return run;
  const next: Run = { ...run, state: told.state, final: told.final };
  if (told.reason !== undefined) next.reason = told.reason;
  if (told.message !== undefined) next.message = told.message;
  if (told.attempt_id && told.attempt_id !== run.attempt_id) {
    next.attempt_id = told.attempt_id;
    next.tries = run.tries + 1;
  }
  if (told.state === "running" && !run.started_at) next.started_at = event.at;
  if (told.final && !run.ended_at) next.ended_at = event.at;
  return next;
}

/** Pages after events: those that change nothing stay the same objects. */
export function mergedPages<P extends { runs: Run[] }>(pages: P[], events: readonly RunEvent[]): P[] {
  const byId = new Map<string, RunEvent[]>();
  for (const event of events) byId.set(event.run.id, [...(byId.get(event.run.id) ?? []), event]);
  let changed = false;
  const next = pages.map((page) => {
    if (!page.runs.some((run) => byId.has(run.id))) return page;
    changed = true;
    return { ...page, runs: page.runs.map((run) => (byId.get(run.id) ?? []).reduce(merged, run)) };
  });
  return changed ? next : pages;
}

/** The ids of the runs of events that are not on the pages, each once. */
export function newIn(pages: readonly { runs: Run[] }[], events: readonly RunEvent[]): Set<string> {
  const shown = new Set(pages.flatMap((page) => page.runs.map((run) => run.id)));
  return new Set(events.map((event) => event.run.id).filter((id) => !shown.has(id)));
}
