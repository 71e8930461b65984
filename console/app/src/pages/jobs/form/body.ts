import type { Schema } from "@/api/types";
import { paramOfCommand } from "./command";
import { httpHandler, paramOf } from "./httpcall";
import { inputsOf } from "./inputs";
import { commandHandler } from "./runs";
import { ends, type JobValues, type MemberValues, type Pair, type ScheduleKind, type ScheduleValues } from "./values";

type ApiSchedule = Schema<"Schedule">;
type NewJob = Schema<"NewJob">;

const text = (value: string) => (value.trim() === "" ? undefined : value.trim());
const number = (value: string) => (value.trim() === "" ? undefined : Number(value));

function recordOf(lines: Pair[]): Record<string, string> | undefined {
  const filled = lines.filter((line) => line.key.trim() !== "");
  return filled.length > 0 ? Object.fromEntries(filled.map((line) => [line.key.trim(), line.value])) : undefined;
}

/** An object without its empty fields; undefined when it has no other. */
function filled<T extends object>(of: T): T | undefined {
  const left = Object.entries(of).filter(([, value]) => value !== undefined);
  return left.length > 0 ? (Object.fromEntries(left) as T) : undefined;
}

/** Whether a schedule of a kind has rules for clock changes itself: of several each one has its own. */
const hasRules = (kind: ScheduleKind) => kind === "cron" || kind === "daily";

function memberTo(member: MemberValues, dst: ApiSchedule["dst"]): ApiSchedule {
  const own: Partial<ApiSchedule> = {};
  if (member.kind === "cron") own.cron = text(member.cron);
  if (member.kind === "every") own.every = text(member.every);
  if (member.kind === "daily") own.daily = text(member.daily);
  if (member.kind === "once") own.at = text(member.at);
  const { dst: kept, ...rest } = member.rest as Partial<ApiSchedule>;
  if (hasRules(member.kind)) own.dst = kept ?? dst;
  return { ...rest, kind: member.kind, ...own };
}

/** Whether schedules of a kind name wall times, for which the zone and its clock matter. */
export const hasWallTimes = (kind: ScheduleKind) => kind === "cron" || kind === "daily" || kind === "several";

/** The schedule of a form as the API takes it. */
export function scheduleTo(s: ScheduleValues): ApiSchedule {
  if (s.kind === "manual") return { kind: "manual" };
  const own: Partial<ApiSchedule> = {};
  if (s.kind === "cron") own.cron = text(s.cron);
  if (s.kind === "every") Object.assign(own, { every: text(s.every), anchor: text(s.anchor) });
  if (s.kind === "after") own.after = text(s.after);
  if (s.kind === "daily") own.daily = text(s.daily);
  if (s.kind === "once") Object.assign(own, s.once === "at" ? { at: text(s.at) } : { delay: text(s.delay) });
  const dst = { ...s.dst } as ApiSchedule["dst"];
  if (s.kind === "several") own.of = s.of.map((member) => memberTo(member, dst));
  if (hasRules(s.kind)) own.dst = dst;
  const zoned = hasWallTimes(s.kind) || s.calendars.length > 0;
  const all: ApiSchedule = {
    kind: s.kind,
    ...own,
    zone: zoned && s.zone !== "UTC" ? text(s.zone) : undefined,
    start: text(s.start),
    end: text(s.end),
    count: number(s.count),
    jitter: text(s.jitter),
    calendars: s.calendars.length > 0 ? s.calendars : undefined,
    excluded: s.calendars.length > 0 && s.excluded === "shift" ? "shift" : undefined,
  };
  return filled(all) as ApiSchedule;
}

/** The delays of a text such as "10s, 1m 5m". */
export function delaysOf(list: string): string[] {
  return list.split(/[\s,;]+/).filter(Boolean);
}

function retryTo(r: JobValues["retry"]): NewJob["retry"] {
  if (r.way === "none") return undefined;
  const on = r.on.length === 0 || r.on.length === ends.length ? undefined : ends.filter((one) => r.on.includes(one));
  const shared = { on: on as never, jitter: r.jitter.trim() === "" ? undefined : Number(r.jitter) / 100 };
  if (r.way === "list") return filled({ tries: number(r.tries), delays: delaysOf(r.delays), ...shared });
  const growing = {
    tries: number(r.tries),
    initial: text(r.initial),
    multiplier: number(r.multiplier),
    max: text(r.max),
  };
  return filled({ ...growing, ...shared });
}

/** What the job runs, with its parameter. */
function codeTo(v: JobValues): Partial<NewJob> {
  const param = v.param === "" ? undefined : v.param;
  const named = (name: string | undefined, of: string | undefined) => ({
    handler: { kind: "named" as const, name },
    param: of || undefined,
  });
  switch (v.runs) {
    case "template":
      return { template: text(v.template), template_version: v.pinned ? number(v.template_version) : undefined, param };
    case "handler":
      return named(text(v.handler), param);
    case "http":
      return named(httpHandler, v.http.text ?? paramOf(v.http.call) ?? undefined);
    case "command":
      return named(commandHandler, v.command.text ?? paramOfCommand(v.command.call));
    default:
      return { handler: { kind: v.runs, source: v.sources[v.runs] }, param };
  }
}

/** The job of a form as the API takes it, with only what differs from the defaults. */
export function bodyOf(v: JobValues): NewJob {
  const d = v.delivery;
  const fire = v.misfire === "fire_all";
  const body: NewJob = {
    key: v.key.trim(),
    title: text(v.title),
    description: text(v.description),
    group: v.group.trim(),
    labels: recordOf(v.labels),
    schedule: scheduleTo(v.schedule),
    misfire: v.misfire,
    misfire_limits: filled({
      threshold: text(v.misfire_limits.threshold),
      window: fire ? text(v.misfire_limits.window) : undefined,
      max: fire ? number(v.misfire_limits.max) : undefined,
      spacing: fire ? text(v.misfire_limits.spacing) : undefined,
    }),
    stop_after: number(v.stop_after),
    ...codeTo(v),
    inputs: inputsOf(v.inputs),
    route: v.route,
    shards: v.route === "broadcast" ? number(v.shards) : undefined,
    overlap: v.overlap,
    concurrency: v.overlap === "concurrent" ? number(v.concurrency) : undefined,
    overlap_scope: v.overlap_scope,
    overlap_queue: v.overlap_scope === "cluster" ? number(v.overlap_queue) : undefined,
    timeout: text(v.timeout),
    retry: retryTo(v.retry),
    on_crash: v.on_crash,
    children:
      v.children.length > 0
        ? v.children.map((child) => ({ key: child.key, on: child.on, param: child.own ? undefined : child.param }))
        : undefined,
    delivery: filled({
      priority: d.priority === "normal" ? undefined : d.priority,
      expire_after: text(d.expire_after),
      deadline: text(d.deadline),
      selector: recordOf(d.selector),
      keep_for: text(d.keep_for),
      keep_runs: number(d.keep_runs),
    }),
    logs: filled({
      off: v.logs.off || undefined,
      keep_for: v.logs.off ? undefined : text(v.logs.keep_for),
      max_bytes: v.logs.off ? undefined : number(v.logs.max_bytes),
    }),
    alarm_emails: v.alarm_emails.length > 0 ? v.alarm_emails : undefined,
  };
  return filled(body) as NewJob;
}
