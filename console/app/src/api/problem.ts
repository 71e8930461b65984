import type { components } from "./schema";

/** One input at fault. */
export type FieldProblem = { field: string; detail: string };

type Body = Partial<components["schemas"]["Problem"]>;

/**
 * What the server says when it refuses: RFC 9457 problem details. Status 0 means that no answer came;
 * its code is then "offline".
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly field: string;
  readonly hint: string;
  readonly id: string;
  readonly errors: FieldProblem[];

  constructor(status: number, body: Body) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? (status === 0 ? "offline" : "internal");
    this.title = body.title ?? "";
    this.detail = body.detail ?? "";
    this.field = body.field ?? "";
    this.hint = body.hint ?? "";
    this.id = body.id ?? "";
    this.errors = body.errors ?? [];
  }

  /** Reports whether no response came. A banner above all pages shows it; older data stays visible. */
  get offline(): boolean {
    return this.status === 0 && this.code === "offline";
  }

  /** All inputs at fault: the list, or the single field. */
  get fields(): FieldProblem[] {
    if (this.errors.length > 0) return this.errors;
    return this.field ? [{ field: this.field, detail: this.detail }] : [];
  }

  /** The same refusal, of some of its inputs alone. */
  only(errors: FieldProblem[]): Problem {
    const { code, title, hint, id } = this;
    return new Problem(this.status, { code, title, hint, id, errors } as Body);
  }
}

/** Reads the problem of an answer, also of one that a proxy gave in its own words. */
export async function readProblem(answer: Response): Promise<Problem> {
  const text = await answer.text().catch(() => "");
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return new Problem(answer.status, body as Body);
  } catch {
    // No JSON: the status is all that is known.
  }
  return new Problem(answer.status, {});
}

/** Turns whatever was thrown into a problem. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, { code: "internal", detail: error instanceof Error ? error.message : String(error) });
}
