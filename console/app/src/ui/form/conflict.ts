import type { Problem } from "@/api/problem";

/** Reports whether the object changed after it was read. */
export function isConflict(problem: Problem | null): boolean {
  return problem?.status === 412 || (problem?.status === 409 && problem.fields.every((one) => one.field === "version"));
}
