import type { Run, Schema } from "@/api/types";

const causedByRuns = new Set(["parent", "redrive", "retry", "shard"]);

/** The run that caused a run. Other causes have ids of other things: of a backfill, or of a scheduler that Orth replaced. */
export function fromRun(run: Pick<Run, "cause" | "cause_id">): string | undefined {
  return causedByRuns.has(run.cause) ? run.cause_id : undefined;
}

/** Reports whether the causing run was deleted or is hidden from the user. */
export function isOutOfSight(facts: readonly Pick<Schema<"Fact">, "code">[]): boolean {
  return facts.some((fact) => /^cause_.*_(gone|hidden)$/.test(fact.code));
}
