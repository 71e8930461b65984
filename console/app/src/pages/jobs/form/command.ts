import type { Pair } from "./values";

/** A command as the form has it. */
export type Command = {
  program: string;
  /** The arguments, one on each line. */
  args: string;
  /** "" is the executor's own folder. */
  dir: string;
  env: Pair[];
};

export const emptyCommand: Command = { program: "", args: "", dir: "", env: [] };

const isText = (value: unknown): value is string => typeof value === "string";

/** Splits a line as the executor does: by blanks, with the quotes of a shell; null when a quote is not closed. */
export function splitLine(line: string): string[] | null {
  const args: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const c = line[at] ?? "";
    const next = line[at + 1];
    if (quote !== "" && c === quote) quote = "";
    else if (quote === "'") word += c;
    else if (c === "\\" && (quote === "" || next === '"' || next === "\\")) {
      if (next === undefined) return null;
      word = (word ?? "") + next;
      at++;
    } else if (quote !== "") word += c;
    else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/[ \t\r\n]/.test(c)) {
      if (word !== null) args.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (quote !== "") return null;
  return word === null ? args : [...args, word];
}

/** The arguments as lines, or null if they contain line breaks. */
function linesOf(args: readonly unknown[]): string | null {
  if (!args.every(isText) || args.some((arg) => arg.includes("\n")) || args.at(-1) === "") return null;
  return args.join("\n");
}

function commandFrom(program: unknown, args: unknown, dir: unknown, env: unknown): Command | null {
  const lines = Array.isArray(args) ? linesOf(args) : null;
  if (!isText(program) || lines === null || !isText(dir)) return null;
  if (typeof env !== "object" || env === null || Array.isArray(env)) return null;
  const pairs = Object.entries(env);
  if (!pairs.every(([, value]) => isText(value))) return null;
  return { program, args: lines, dir, env: pairs.map(([key, value]) => ({ key, value: value as string })) };
}

/** The command of a parameter; null when the form cannot show it. */
export function commandOf(param: string): Command | null {
  const text = param.trim();
  if (text === "") return emptyCommand;
  if (!/^[[{]/.test(text)) {
    const [program = "", ...args] = splitLine(text) ?? [];
    return program === "" ? null : commandFrom(program, args, "", {});
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (Array.isArray(value)) return commandFrom(value[0] ?? "", value.slice(1), "", {});
  const { program, args, dir, env, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return null;
  return commandFrom(program ?? "", args ?? [], dir ?? "", env ?? {});
}

/** The arguments of lines; empty lines at the end are none. */
export function argsOf(lines: string): string[] {
  const kept = lines.replace(/\n+$/, "");
  return kept === "" ? [] : kept.split("\n");
}

/** The parameter that a command is, "" for none: a list while it has neither folder nor variables. */
export function paramOfCommand({ program, args, dir, env }: Command): string {
  const variables = env.filter((pair) => pair.key.trim() !== "");
  const name = program.trim();
  if (name === "" && args === "" && dir.trim() === "" && variables.length === 0) return "";
  if (dir.trim() === "" && variables.length === 0) return JSON.stringify([name, ...argsOf(args)]);
  const value = {
    program: name,
    args: args === "" ? undefined : argsOf(args),
    dir: dir.trim() || undefined,
    env: variables.length > 0 ? Object.fromEntries(variables.map((pair) => [pair.key.trim(), pair.value])) : undefined,
  };
  return JSON.stringify(value, null, 2);
}
