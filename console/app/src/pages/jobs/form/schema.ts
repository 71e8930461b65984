import { z } from "zod";
import { parseDuration } from "@/ui/format";
import type { Say } from "@/words";
import { delaysOf } from "./body";
import type { JobValues } from "./values";
import type { formWords } from "./words";

type T = Say<keyof (typeof formWords)["entries"] & string>;

type Rule = { field: string; wrong: string | null };

/**
 * What a browser can know of the job: that what is needed is there, and that durations and numbers are some. All
 * else the server says.
 */
export function jobSchema(t: T) {
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
  const twice = (field: string, pairs: { key: string }[]): Rule => {
    const keys = pairs.map((pair) => pair.key.trim()).filter(Boolean);
    const again = keys.find((key, at) => keys.indexOf(key) !== at);
    return { field, wrong: again === undefined ? null : t("errTwice", { key: again }) };
  };
  const key = (value: string): Rule => ({
    field: "key",
    wrong: value.trim() === "" ? t("errRequired") : keyPattern.test(value.trim()) ? null : t("errKey"),
  });
  const email = (addresses: string[]): Rule => {
    const bad = addresses.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address));
    return { field: "alarm_emails", wrong: bad === undefined ? null : t("errEmail", { address: bad }) };
  };

  const whenRules = ({ schedule: s }: JobValues): Rule[] => [
    ...(s.kind === "cron" ? [needed("schedule.cron", s.cron)] : []),
    ...(s.kind === "every" ? [needed("schedule.every", s.every), duration("schedule.every", s.every)] : []),
    ...(s.kind === "after" ? [needed("schedule.after", s.after), duration("schedule.after", s.after)] : []),
    ...(s.kind === "daily" ? [needed("schedule.daily", s.daily)] : []),
    ...(s.kind === "once" && s.once === "at" ? [needed("schedule.at", s.at)] : []),
    ...(s.kind === "once" && s.once === "delay"
      ? [needed("schedule.delay", s.delay), duration("schedule.delay", s.delay)]
      : []),
    ...(s.kind === "several" && s.of.length === 0 ? [needed("schedule.of", "")] : []),
    ...(s.kind === "manual" ? [] : [number("schedule.count", s.count, 1, 1e9), duration("schedule.jitter", s.jitter)]),
  ];
  const codeRules = (v: JobValues): Rule[] => {
    if (v.code === "template") return [needed("template", v.template)];
    if (v.code === "handler") return [needed("handler.name", v.handler.name)];
    return [needed("handler.source", v.handler.source)];
  };
  const retryRules = ({ retry: r }: JobValues): Rule[] => {
    if (r.way === "none") return [];
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
    return [...own, number("retry.tries", r.tries, 1, 1000), share("retry.jitter", r.jitter, 0, 100)];
  };
  const rules = (v: JobValues): Rule[] => [
    key(v.key),
    needed("group", v.group),
    { field: "title", wrong: [...v.title].length > 200 ? t("errLong", { n: 200 }) : null },
    { field: "description", wrong: [...v.description].length > 4000 ? t("errLong", { n: 4000 }) : null },
    twice("labels", v.labels),
    ...whenRules(v),
    duration("misfire_limits.threshold", v.misfire_limits.threshold),
    duration("misfire_limits.window", v.misfire_limits.window),
    number("misfire_limits.max", v.misfire_limits.max, 1, 10_000),
    duration("misfire_limits.spacing", v.misfire_limits.spacing),
    ...codeRules(v),
    number("shards", v.shards, 1, 1000),
    number("concurrency", v.concurrency, 1, 64),
    number("overlap_queue", v.overlap_queue, 1, 100_000),
    duration("timeout", v.timeout),
    ...retryRules(v),
    number("stop_after", v.stop_after, 1, 1000),
    ...v.children.map((child, at) => needed(`children.${at}.key`, child.key)),
    duration("delivery.expire_after", v.delivery.expire_after),
    duration("delivery.deadline", v.delivery.deadline),
    twice("delivery.selector", v.delivery.selector),
    duration("delivery.keep_for", v.delivery.keep_for),
    number("delivery.keep_runs", v.delivery.keep_runs, 1, 1_000_000),
    duration("logs.keep_for", v.logs.keep_for),
    number("logs.max_bytes", v.logs.max_bytes, 1024, 4_294_967_296),
    email(v.alarm_emails),
  ];
  return z.custom<JobValues>().superRefine((values, context) => {
    const said = new Set<string>();
    for (const { field, wrong } of rules(values)) {
      if (wrong === null || said.has(field)) continue;
      said.add(field);
      context.addIssue({ code: "custom", path: field.split("."), message: wrong });
    }
  });
}

const keyPattern = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;
