import type { Schema } from "@/api/types";

type RunTimes = Pick<
  Schema<"Run">,
  "planned_at" | "created_at" | "started_at" | "ended_at" | "ready_at" | "state" | "final" | "reason" | "message"
>;
type AttemptTimes = Pick<
  Schema<"Attempt">,
  "triggered_at" | "accepted_at" | "ended_at" | "number" | "address" | "state" | "message"
>;

/** The stations of a run's life. */
export type Station = "planned" | "queued" | "dispatched" | "running" | "finished";

/** A station: when it was reached, how long the run stayed there, and why. */
export type Step = {
  station: Station;
  /** Absent when it was not reached. */
  at?: string;
  /** In ms; absent when it was not left yet, or not reached. */
  lasted?: number;
  /** Whether the run stands there now. */
  here: boolean;
  reason?: string;
};

/**
 * The way of a run. The times of dispatch and start are those of its first attempt: what was tried again lies
 * between start and end, and the attempts tell of it.
 */
export function stepsOf(run: RunTimes, attempts: readonly AttemptTimes[]): Step[] {
  const first = attempts[0];
  const started = run.started_at ?? first?.accepted_at;
  const at: [Station, string | undefined][] = [
    ["planned", run.planned_at],
    ["queued", run.created_at],
    ["dispatched", first?.triggered_at],
    ["running", started],
    ["finished", run.ended_at],
  ];
  const steps = at
    .filter(([station, instant]) => station !== "planned" || instant)
    .map(([station, instant]): Step => ({ station, at: instant, here: false }));
  for (const [index, step] of steps.entries()) {
    const next = steps.slice(index + 1).find((later) => later.at);
    if (!step.at) continue;
    if (next?.at) step.lasted = Math.max(0, Date.parse(next.at) - Date.parse(step.at));
    else {
      step.here = true;
      step.reason = run.reason || (run.final ? run.message : undefined);
    }
  }
  if (first) {
    const dispatched = steps.find((step) => step.station === "dispatched");
    if (dispatched?.at && !dispatched.reason) dispatched.reason = first.address;
  }
  return steps;
}

/**
 * How late a run began, in ms: to now when it has not begun. Undefined for one without a slot, and for those
 * that serve a slot on purpose long after it, such as the runs of backfills.
 */
export function lagOf(
  run: Pick<RunTimes, "planned_at" | "started_at" | "final"> & { cause?: string },
  now: number,
): number | undefined {
  const planned = Date.parse(run.planned_at ?? "");
  if (!Number.isFinite(planned) || (run.cause !== "schedule" && run.cause !== "misfire")) return undefined;
  const started = Date.parse(run.started_at ?? "");
  if (Number.isFinite(started)) return started - planned;
  return run.final ? undefined : Math.max(0, now - planned);
}

/**
 * What a list says of a run: its message, or why it waits or has ended as it did. One that succeeded needs no reason:
 * that is why it has waited before.
 */
export function saidOf(run: { state: string; final?: boolean; message?: string; reason?: string }): string {
  if (!run.final) return run.reason || run.message || "";
  return run.message || (run.state === "succeeded" ? "" : run.reason) || "";
}

/** A message as one line for truncating cells: a first line such as "startup failed:" is not enough. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Why a run ended badly, for the head of a page; empty for one that did not, or is not over. */
export function whyOf(run: { state: string; final?: boolean; message?: string; reason?: string }): string {
  const bad = run.final && ["failed", "timed_out", "lost"].includes(run.state);
  return bad ? saidOf(run) : "";
}
