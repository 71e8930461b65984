import type { components } from "./schema";

type Schemas = components["schemas"];

/** A type of the API by its name in the OpenAPI document: `Schema<"Job">`. */
export type Schema<N extends keyof Schemas> = Schemas[N];

export type Run = Schema<"Run">;
export type Job = Schema<"Job">;
/** The states of runs, as job.State has them. */
export type RunState = Run["state"];
/** Why a run was made. */
export type RunCause = Run["cause"];
