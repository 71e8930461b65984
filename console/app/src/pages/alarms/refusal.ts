import type { Problem } from "@/api/problem";

const clean = (field: string) => field.replace(/^body\./, "");
const within = (field: string, name: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

/** What the server says against an input, or against a part of it; undefined when nothing. */
export function errorAt(problem: Problem | null, name: string): string | undefined {
  const said = problem?.fields.filter((one) => within(clean(one.field), name)).map((one) => one.detail) ?? [];
  return said.length > 0 ? said.join(" ") : undefined;
}

/** The problem, unless all of it is said at one of these inputs. */
export function leftOver(problem: Problem | null, names: readonly string[]): Problem | null {
  if (!problem || problem.fields.length === 0) return problem;
  const all = problem.fields.every((one) => names.some((name) => within(clean(one.field), name)));
  return all ? null : problem;
}

/** Whether somebody else was faster: what was read is not what is there. */
export function lostRace(problem: Problem | null): boolean {
  return problem?.status === 412 || (problem?.status === 409 && problem.fields.every((one) => one.field === "version"));
}
