import type { Problem } from "@/api/problem";

/** Whether somebody else was faster: what was read is not what is there. */
export function lostRace(problem: Problem | null): boolean {
  return problem?.status === 412 || (problem?.status === 409 && problem.fields.every((one) => one.field === "version"));
}
