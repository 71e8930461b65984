import { httpHandler } from "./httpcall";
import { type ScriptKind, scriptKinds } from "./scripts";

/** The handler of executors that run programs, which reads the parameter of its jobs as a command. */
export const commandHandler = "commandJobHandler";

/** What a job can run, in the order of the form. */
export const runKinds = ["handler", "http", "command", ...scriptKinds, "template"] as const;
export type RunKind = (typeof runKinds)[number];

/** Whether a kind is one of scripts. */
export const isScript = (kind: RunKind): kind is ScriptKind => (scriptKinds as readonly string[]).includes(kind);

/** The kind of a named handler: HTTP calls and commands have a form of their own. */
export function kindOfHandler(name: string): RunKind {
  if (name === httpHandler) return "http";
  return name === commandHandler ? "command" : "handler";
}
