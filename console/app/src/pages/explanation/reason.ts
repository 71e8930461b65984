import { sentenceText } from "@/pages/jobs/sentence";
import type { Language } from "@/words";
import { textIn } from "@/words";
import { stateWords } from "@/words/shared";
import { reasons } from "./reasons";
import { lasting, moment } from "./sentence";
import { reasonWords } from "./words";

/** A reason of the server, ready to be recognised. */
type Known = { pattern: RegExp; names: readonly string[]; hans: string; hant: string };

/** Longer texts are of programs, not of the server. */
const longest = 2_000;
/** A reason holds another, which holds another: more than that is none of ours. */
const deepest = 4;

const durations = new Set(["delay", "for", "late", "limit_for", "waited", "window"]);
const within = new Set(["held", "last", "reason", "rest"]);
const counted = new Set(["calls", "executors", "firings", "runs", "shards", "slots", "tasks", "tries"]);

/** What stands in a gap, where that is not just anything. */
const digits = "[\\d,]+";
const shapes: Readonly<Record<string, string>> = {
  attempt: digits,
  before: digits,
  count: digits,
  end: "was not ready|was \\w+|timed[ _]out|\\w+",
  executor: "\\S+",
  firings: "\\d+ \\w+",
  group: "\\S+",
  id: digits,
  overlap: "\\w+",
  policy: "\\w+",
  run: digits,
  runs: "\\d+ \\w+",
  total: digits,
};

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The expression that a reason's English is: its gaps are groups, and so are its parts that may be missing, named "[". */
export function patternOf(english: string): { pattern: RegExp; names: string[] } {
  const names: string[] = [];
  const source = english
    .split(/(\{\w+\}|\[|\])/)
    .map((part) => {
      if (part === "]") return ")?";
      const name = part === "[" ? part : part.match(/^\{(\w+)\}$/)?.[1];
      if (!name) return escaped(part);
      names.push(name);
      return part === "[" ? "(" : `(${shapes[name] ?? "[^]+?"})`;
    })
    .join("");
  return { pattern: new RegExp(`^${source}$`), names };
}

let known: readonly Known[] | undefined;

/** They are made when the first is asked for. */
function all(): readonly Known[] {
  known ??= reasons.map(([english, hans, hant]) => ({ ...patternOf(english), hans, hant }));
  return known;
}

function ended(text: string, language: Language): string {
  const state = text.replace(/^was /, "").replaceAll(" ", "_");
  if (Object.hasOwn(stateWords.entries, state)) return textIn(stateWords, language, state as never);
  return text === "was not ready" ? textIn(reasonWords, language, "notReady") : text;
}

/** "1 call", "2 calls", "more than 7": the number, and what is counted in Chinese. */
function counting(text: string, language: Language): string {
  const [, count, thing] = text.match(/^(\d+) (\w+)$/) ?? [];
  const key = thing?.replace(/ies$/, "y").replace(/s$/, "");
  if (!count || !key || !Object.hasOwn(reasonWords.entries, `n_${key}`)) return text;
  return textIn(reasonWords, language, `n_${key}` as never, { n: count });
}

const listed = (text: string, separator: string, language: Language, one: (part: string) => string) =>
  text
    .split(separator)
    .map(one)
    .join(textIn(reasonWords, language, "and"));

function filled(name: string, value: string, zone: string, language: Language, depth: number): string {
  const inner = (text: string) => said(text, zone, language, depth + 1) ?? text;
  if (within.has(name)) return inner(value);
  if (name === "notes") return listed(value, "; ", language, inner);
  if (name === "nodes") return listed(value, ", ", language, (part) => node(part, language));
  if (name === "names") return listed(value, ", ", language, (part) => more(part, language));
  if (name === "failures") return failures(value, language);
  if (name === "ends") return listed(value, " and ", language, (part) => choice("ends", part, language));
  if (name === "end") return ended(value, language);
  if (name === "overlap" || name === "policy") return choice(name, value, language);
  if (name === "number") return more(value, language);
  if (name === "until" && value === "a call that is under way has ended")
    return textIn(reasonWords, language, "callOver");
  if (durations.has(name)) return lasting(value, language);
  if (counted.has(name)) return counting(value, language);
  if (name === "detail") return sentenceText(value, language);
  return moment(value, zone) ?? value;
}

function choice(kind: "ends" | "overlap" | "policy", value: string, language: Language): string {
  const key = `${kind}_${value}`;
  return Object.hasOwn(reasonWords.entries, key) ? textIn(reasonWords, language, key as never) : value;
}

/** "more than 7" and "7 more". */
function more(text: string, language: Language): string {
  const over = text.match(/^more than (\d+)$/)?.[1];
  if (over) return textIn(reasonWords, language, "moreThan", { n: over });
  const others = text.match(/^(\d+) more$/)?.[1];
  return others ? textIn(reasonWords, language, "nMore", { n: others }) : text;
}

/** "extract has failed", "load was skipped": a node and what became of it. */
function node(text: string, language: Language): string {
  const [, name, state] = text.match(/^(\S+) (?:has|was) (\w+)$/) ?? [];
  return name && state ? `${name} ${ended(state, language)}` : text;
}

/** "2 (run 48 failed: exit status 1), and 3 more": which shards failed, with their messages. */
function failures(text: string, language: Language): string {
  const run = textIn(reasonWords, language, "run");
  return text
    .replace(
      /(^|, )(\d+) \(run (\d+) (timed out|\w+)/g,
      (_, comma: string, shard: string, id: string, state: string) => {
        const separator = comma && textIn(reasonWords, language, "and");
        return `${separator}${shard} (${run} ${id} ${ended(state, language)}`;
      },
    )
    .replace(
      /, and (\d+) more$/,
      (_, n: string) => textIn(reasonWords, language, "and") + textIn(reasonWords, language, "nMore", { n }),
    );
}

function said(text: string, zone: string, language: Language, depth: number): string | undefined {
  if (text.length > longest || depth > deepest) return undefined;
  for (const { pattern, names, hans, hant } of all()) {
    const match = pattern.exec(text);
    if (!match) continue;
    const values = new Map(names.map((name, at) => [name, match[at + 1]]));
    const parts = names.flatMap((name, at) => (name === "[" ? [match[at + 1] !== undefined] : []));
    const fill = (name: string) => {
      const value = values.get(name);
      return value === undefined ? "" : filled(name, value, zone, language, depth);
    };
    // Both at once, so that brackets and braces of values stay what they are.
    return (language === "zh-TW" ? hant : hans).replace(
      /\[([^\]]*)\]|\{(\w+)\}/g,
      (_, part?: string, name?: string) => {
        if (part === undefined) return fill(name ?? "");
        return parts.shift() ? part.replace(/\{(\w+)\}/g, (_, gap: string) => fill(gap)) : "";
      },
    );
  }
  return undefined;
}

/**
 * A reason that the server keeps in words, in the language of the user; the words themselves when they are English,
 * somebody's own or not known here. `zone` is where its times are shown.
 */
export function reasonIn(text: string, zone: string, language: Language): { text: string; lang: Language | undefined } {
  if (language === "en") return { text, lang: undefined };
  const chinese = said(text, zone, language, 0);
  return chinese === undefined ? { text, lang: undefined } : { text: chinese, lang: language };
}
