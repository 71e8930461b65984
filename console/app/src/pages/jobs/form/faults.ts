import type { Faults } from "@/ui/form/faults";
import { parseDuration } from "@/ui/format";
import type { Translate } from "@/words";
import { delaysOf } from "./body";
import { isWrongJson } from "./httpcall";
import type { InputRow } from "./inputs";
import { isScript } from "./runs";
import type { JobValues, MemberValues, Pair } from "./values";
import type { formWords } from "./words";

type T = Translate<keyof (typeof formWords)["entries"] & string>;

type Rule = { field: string; wrong: string | null };

/** Rules for values, each with its error message. */
function rulesIn(t: T) {
  const duration = (field: string, value: string): Rule => {
    const ms = parseDuration(value);
    return { field, wrong: value.trim() === "" || ms >= 0 ? null : t("errDuration") };
  };
  const number = (field: string, value: string, least: number, most: number): Rule => {
    const read = Number(value);
    const fits = Number.isInteger(read) && read >= least && read <= most;
    return { field, wrong: value.trim() === "" || fits ? null : t("errNumber", { least, most }) };
  };
  const share = (field: string, value: string, least: number, most: number): Rule => {
    const read = Number(value);
    const fits = Number.isFinite(read) && read >= least && read <= most;
    return { field, wrong: value.trim() === "" || fits ? null : t("errShare", { least, most }) };
  };
  const needed = (field: string, value: string): Rule => ({
    field,
    wrong: value.trim() === "" ? t("errRequired") : null,
  });
  const twice = (field: string, pairs: Pair[], word: "errTwice" | "errTwiceName" = "errTwice"): Rule => {
    const keys = pairs.map((pair) => pair.key.trim()).filter(Boolean);
    const again = keys.find((key, at) => keys.indexOf(key) !== at);
    return { field, wrong: again === undefined ? null : t(word, { key: again }) };
  };
  return { duration, number, share, needed, twice };
}

type Rules = ReturnType<typeof rulesIn>;

const statusPattern = /^([1-5]\d\d|[1-5]xx)$/i;
const variablePattern = /^[^=\0]+$/;

/** What is wrong with the fields of an HTTP call. */
function httpRules({ http }: JobValues, t: T, { needed, twice, duration }: Rules): Rule[] {
  if (http.text !== null) return [needed("param", http.text)];
  const { call } = http;
  const status = call.expect.split(/[\s,;]+/).find((one) => one !== "" && !statusPattern.test(one));
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(call.timeout);
  return [
    needed("param.url", call.url),
    twice("param.headers", call.headers, "errTwiceName"),
    { field: "param.body", wrong: isWrongJson(call) ? t("wrongJson") : null },
    twice("param.form", call.kind === "form" ? call.fields : [], "errTwiceName"),
    { field: "param.expect", wrong: status === undefined ? null : t("errStatus", { status }) },
    duration("param.timeout", seconds ? "" : call.timeout),
  ];
}

/** What is wrong with the fields of a command. */
function commandRules({ command }: JobValues, t: T, { needed, twice }: Rules): Rule[] {
  if (command.text !== null) return [needed("param", command.text)];
  const { program, dir, env } = command.call;
  const names = env.map((pair) => pair.key.trim()).filter(Boolean);
  const reserved = names.find((name) => name.startsWith("ORTH_") || !variablePattern.test(name));
  return [
    needed("param.program", program),
    { field: "param.dir", wrong: /^\s*($|\/|[a-z]:[\\/]|\\\\)/i.test(dir) ? null : t("errDir") },
    { field: "param.env", wrong: reserved === undefined ? null : t("errVariable", { name: reserved }) },
    twice("param.env", env, "errTwiceName"),
  ];
}

/** What is wrong with what the job runs. */
function codeRules(v: JobValues, t: T, rules: Rules): Rule[] {
  const { needed } = rules;
  if (v.runs === "template") return [needed("template", v.template)];
  if (v.runs === "http") return httpRules(v, t, rules);
  if (v.runs === "command") return commandRules(v, t, rules);
  return isScript(v.runs) ? [needed("handler.source", v.sources[v.runs])] : [needed("handler.name", v.handler)];
}

/** What is wrong with the schedule: with the fields that its kind has. */
export function whenFaults(v: JobValues, t: T): Faults {
  return faultsIn(whenRules(v, rulesIn(t)));
}

function whenRules({ schedule: s, misfire, misfire_limits: limits }: JobValues, rules: Rules): Rule[] {
  const { needed, duration, number } = rules;
  const own: Record<JobValues["schedule"]["kind"], () => Rule[]> = {
    cron: () => [needed("schedule.cron", s.cron)],
    every: () => [needed("schedule.every", s.every), duration("schedule.every", s.every)],
    after: () => [needed("schedule.after", s.after), duration("schedule.after", s.after)],
    daily: () => [needed("schedule.daily", s.daily)],
    once: () =>
      s.once === "at"
        ? [needed("schedule.at", s.at)]
        : [needed("schedule.delay", s.delay), duration("schedule.delay", s.delay)],
    several: () =>
      s.of.length === 0 ? [needed("schedule.of", "")] : s.of.map((one, at) => memberRule(one, at, rules)),
    manual: () => [],
  };
  if (s.kind === "manual") return [];
  const all = misfire === "fire_all";
  return [
    ...own[s.kind](),
    number("schedule.count", s.count, 1, 1e9),
    duration("schedule.jitter", s.jitter),
    duration("misfire_limits.threshold", limits.threshold),
    ...(all
      ? [
          duration("misfire_limits.window", limits.window),
          number("misfire_limits.max", limits.max, 1, 10_000),
          duration("misfire_limits.spacing", limits.spacing),
        ]
      : []),
  ];
}

function memberRule(member: MemberValues, at: number, { needed }: Rules): Rule {
  const value = { cron: member.cron, every: member.every, daily: member.daily, once: member.at };
  return needed(`schedule.of.${at}`, value[member.kind as keyof typeof value] ?? "-");
}

/** What is wrong with an input, before the server looks at it. */
function inputRules(row: InputRow, at: number, v: JobValues, t: T, { needed }: Rules): Rule[] {
  const name = row.name.trim();
  const first = v.inputs.findIndex((one) => one.name.trim() === name);
  const bound = (of: "min" | "max"): Rule => ({
    field: `inputs.${at}.${of}`,
    wrong:
      row.type !== "boolean" && row[of].trim() !== "" && !Number.isFinite(Number(row[of])) ? t("errNotNumber") : null,
  });
  return [
    needed(`inputs.${at}.name`, row.name),
    { field: `inputs.${at}.name`, wrong: keyPattern.test(name) ? null : t("errKey") },
    { field: `inputs.${at}.name`, wrong: first < at ? t("errTwiceName", { key: name }) : null },
    bound("min"),
    bound("max"),
  ];
}

/** What is wrong with where runs go. */
function whereRules(v: JobValues, { number, duration, twice }: Rules): Rule[] {
  return [
    ...(v.route === "broadcast" ? [number("shards", v.shards, 1, 1000)] : []),
    ...(v.overlap === "concurrent" ? [number("concurrency", v.concurrency, 1, 64)] : []),
    ...(v.overlap_scope === "cluster" && v.overlap !== "discard"
      ? [number("overlap_queue", v.overlap_queue, 1, 100_000)]
      : []),
    duration("delivery.expire_after", v.delivery.expire_after),
    twice("delivery.selector", v.delivery.selector),
  ];
}

/** What is wrong with what follows from failures. */
function reliabilityRules({ timeout, delivery, stop_after, retry: r }: JobValues, rules: Rules): Rule[] {
  const { duration, number, share, needed } = rules;
  const limits = [
    duration("timeout", timeout),
    duration("delivery.deadline", delivery.deadline),
    number("stop_after", stop_after, 1, 1000),
  ];
  if (r.way === "none") return limits;
  const listed = delaysOf(r.delays).find((delay) => Number.isNaN(parseDuration(delay)));
  const own =
    r.way === "list"
      ? [needed("retry.delays", r.delays), duration("retry.delays", listed ?? "")]
      : [
          needed("retry.tries", r.tries),
          duration("retry.initial", r.initial),
          share("retry.multiplier", r.multiplier, 1, 100),
          duration("retry.max", r.max),
        ];
  return [...limits, ...own, number("retry.tries", r.tries, 1, 1000), share("retry.jitter", r.jitter, 0, 100)];
}

/** What is wrong with what is kept. */
function keepRules({ delivery, logs }: JobValues, { duration, number }: Rules): Rule[] {
  return [
    duration("delivery.keep_for", delivery.keep_for),
    number("delivery.keep_runs", delivery.keep_runs, 1, 1_000_000),
    ...(logs.off
      ? []
      : [duration("logs.keep_for", logs.keep_for), number("logs.max_bytes", logs.max_bytes, 1024, 4_294_967_296)]),
  ];
}

/**
 * What a browser can know to be wrong with a job: that something required is missing, or that durations and numbers
 * are none. The server says everything else. Only fields that the form shows can be wrong.
 */
export function faultsOf(v: JobValues, t: T): Faults {
  const rules = rulesIn(t);
  const { needed, twice } = rules;
  const bad = v.alarm_emails.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address));
  const long = (field: "title" | "description", most: number): Rule => ({
    field,
    wrong: [...v[field]].length > most ? t("errLong", { n: most }) : null,
  });
  return faultsIn([
    needed("key", v.key),
    { field: "key", wrong: keyPattern.test(v.key.trim()) ? null : t("errKey") },
    needed("group", v.group),
    long("title", 200),
    long("description", 4000),
    twice("labels", v.labels),
    ...whenRules(v, rules),
    ...codeRules(v, t, rules),
    ...v.inputs.flatMap((row, at) => inputRules(row, at, v, t, rules)),
    ...whereRules(v, rules),
    ...reliabilityRules(v, rules),
    ...v.children.map((child, at) => needed(`children.${at}.key`, child.key)),
    ...keepRules(v, rules),
    { field: "alarm_emails", wrong: bad === undefined ? null : t("errEmail", { address: bad }) },
  ]);
}

/** The first fault of each field. */
function faultsIn(rules: readonly Rule[]): Faults {
  const faults: Record<string, string> = {};
  for (const { field, wrong } of rules) if (wrong !== null) faults[field] ??= wrong;
  return faults;
}

const keyPattern = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;
