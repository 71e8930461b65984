import type { Job, Schema } from "@/api/types";
import { type Command, commandOf, emptyCommand } from "./command";
import { callOf, emptyCall, type HttpCall } from "./httpcall";
import { type InputRow, rowsOf } from "./inputs";
import { isScript, kindOfHandler, type RunKind } from "./runs";
import type { ScriptKind } from "./scripts";

type ApiSchedule = Schema<"Schedule">;

export type ScheduleKind = ApiSchedule["kind"];
export type HandlerKind = NonNullable<Job["handler"]>["kind"];
export type Route = Job["route"];
export type Overlap = Job["overlap"];

/** A name with a value, as a line of a form. */
export type Pair = { key: string; value: string };

/** One of the schedules of several. `rest` is what the form has no input for. */
export type MemberValues = {
  kind: ScheduleKind;
  cron: string;
  every: string;
  daily: string;
  at: string;
  rest: object;
};

export type ScheduleValues = {
  kind: ScheduleKind;
  cron: string;
  every: string;
  anchor: string;
  after: string;
  daily: string;
  once: "at" | "delay";
  at: string;
  delay: string;
  of: MemberValues[];
  zone: string;
  dst: { gap: string; overlap: string; straight: boolean };
  start: string;
  end: string;
  count: string;
  jitter: string;
  calendars: string[];
  excluded: "skip" | "shift";
};

/** A parameter that the form has field by field; `text` is set while it is written as text. */
export type Written<C> = { call: C; text: string | null };

/**
 * A job as the form has it: the fields of the API under their names, numbers and durations as they are typed,
 * "" for what has its default.
 */
export type JobValues = {
  key: string;
  title: string;
  description: string;
  group: string;
  labels: Pair[];
  schedule: ScheduleValues;
  misfire: "skip" | "fire_once" | "fire_all";
  misfire_limits: { threshold: string; window: string; max: string; spacing: string };
  stop_after: string;
  /** What the job runs. Each kind keeps what it has while another one is chosen. */
  runs: RunKind;
  handler: string;
  sources: Record<ScriptKind, string>;
  http: Written<HttpCall>;
  command: Written<Command>;
  template: string;
  pinned: boolean;
  template_version: string;
  param: string;
  /** The values that runs may be given. */
  inputs: InputRow[];
  route: Route;
  shards: string;
  overlap: Overlap;
  concurrency: string;
  overlap_scope: "cluster" | "executor";
  overlap_queue: string;
  timeout: string;
  retry: {
    way: "none" | "growing" | "list";
    tries: string;
    initial: string;
    multiplier: string;
    max: string;
    jitter: string;
    delays: string;
    on: string[];
  };
  on_crash: "report" | "rerun";
  children: { key: string; on: "success" | "failure" | "always"; own: boolean; param: string }[];
  delivery: {
    priority: "high" | "normal" | "low";
    expire_after: string;
    deadline: string;
    selector: Pair[];
    keep_for: string;
    keep_runs: string;
  };
  logs: { off: boolean; keep_for: string; max_bytes: string };
  alarm_emails: string[];
  enabled: boolean;
};

/** The ends of attempts that may be tried again. */
export const ends = ["failed", "timed_out", "lost"];

const noSources = (): Record<ScriptKind, string> => ({
  shell: "",
  python: "",
  python2: "",
  nodejs: "",
  powershell: "",
  php: "",
  groovy: "",
  javascript: "",
});

/** What a new job has at first. */
export function emptyJob(group = "", zone = "UTC"): JobValues {
  return {
    key: "",
    title: "",
    description: "",
    group,
    labels: [],
    schedule: {
      kind: "cron",
      cron: "0 30 2 * * ?",
      every: "",
      anchor: "",
      after: "",
      daily: "",
      once: "at",
      at: "",
      delay: "",
      of: [],
      zone,
      dst: { gap: "fire_after", overlap: "first", straight: true },
      start: "",
      end: "",
      count: "",
      jitter: "",
      calendars: [],
      excluded: "skip",
    },
    misfire: "skip",
    misfire_limits: { threshold: "", window: "", max: "", spacing: "" },
    stop_after: "",
    runs: "handler",
    handler: "",
    sources: noSources(),
    http: { call: emptyCall, text: null },
    command: { call: emptyCommand, text: null },
    template: "",
    pinned: false,
    template_version: "",
    param: "",
    inputs: [],
    route: "round",
    shards: "",
    overlap: "serial",
    concurrency: "",
    overlap_scope: "cluster",
    overlap_queue: "",
    timeout: "",
    retry: { way: "none", tries: "", initial: "", multiplier: "", max: "", jitter: "", delays: "", on: ends },
    on_crash: "report",
    children: [],
    delivery: { priority: "normal", expire_after: "", deadline: "", selector: [], keep_for: "", keep_runs: "" },
    logs: { off: false, keep_for: "", max_bytes: "" },
    alarm_emails: [],
    enabled: false,
  };
}

/** A duration of the API without parts of nothing: 1h0m0s is 1h. */
export function shortDuration(text: string | undefined): string {
  if (!text || text === "0s") return "";
  return text
    .replace(/(^|[a-zµ])0h/, "$1")
    .replace(/(\d[hm])0m(?=0s|$)/, "$1")
    .replace(/(\d[hm])0s$/, "$1");
}

const typed = (value: number | undefined) => (value ? String(value) : "");

function pairs(of: Record<string, string> | undefined): Pair[] {
  return Object.entries(of ?? {}).map(([key, value]) => ({ key, value }));
}

/** The rules for clock changes that the members of a schedule share; undefined where they differ or have none. */
function sharedRules(of: readonly ApiSchedule[]): ApiSchedule["dst"] {
  const [first, ...others] = of.filter((one) => one.kind === "cron" || one.kind === "daily").map((one) => one.dst);
  const same = others.every((one) => JSON.stringify(rulesFrom(one)) === JSON.stringify(rulesFrom(first)));
  return same ? first : undefined;
}

function rulesFrom(dst: ApiSchedule["dst"]): ScheduleValues["dst"] {
  return { gap: dst?.gap || "skip", overlap: dst?.overlap || "second", straight: dst?.straight ?? false };
}

/** A member keeps rules for clock changes that the others do not have; what they share is a field of the form. */
function memberOf(schedule: ApiSchedule, shared: ApiSchedule["dst"]): MemberValues {
  const { kind, cron, every, daily, at, ...own } = schedule;
  const { dst: _, ...others } = own;
  const rest = shared ? others : own;
  return {
    kind,
    cron: cron ?? "",
    every: shortDuration(every),
    daily: daily ?? "",
    at: at ?? "",
    rest,
  };
}

function scheduleFrom(schedule: ApiSchedule): ScheduleValues {
  const shared = sharedRules(schedule.of ?? []);
  return {
    kind: schedule.kind,
    cron: schedule.cron ?? "",
    every: shortDuration(schedule.every),
    anchor: schedule.anchor ?? "",
    after: shortDuration(schedule.after),
    daily: schedule.daily ?? "",
    once: schedule.delay ? "delay" : "at",
    at: schedule.delay ? "" : (schedule.at ?? ""),
    delay: shortDuration(schedule.delay),
    of: (schedule.of ?? []).map((one) => memberOf(one, shared)),
    zone: schedule.zone ?? "UTC",
    dst: rulesFrom(schedule.dst ?? shared),
    start: schedule.start ?? "",
    end: schedule.end ?? "",
    count: typed(schedule.count),
    jitter: shortDuration(schedule.jitter),
    calendars: schedule.calendars ?? [],
    excluded: schedule.excluded === "shift" ? "shift" : "skip",
  };
}

function retryFrom(retry: Job["retry"]): JobValues["retry"] {
  const delays = (retry?.delays ?? []).map(shortDuration).map((one) => one || "0s");
  const none = !retry || (retry.tries === 0 && delays.length === 0);
  return {
    way: none ? "none" : delays.length > 0 ? "list" : "growing",
    tries: typed(retry?.tries),
    initial: shortDuration(retry?.initial),
    multiplier: typed(retry?.multiplier),
    max: shortDuration(retry?.max),
    jitter: retry?.jitter ? String(Math.round(retry.jitter * 1000) / 10) : "",
    delays: delays.join(", "),
    on: retry?.on?.length ? retry.on : ends,
  };
}

/** What a stored parameter is in the fields of the form, or as text when they cannot show it. */
function writtenOf<C>(param: string, read: (param: string) => C | null, empty: C): Written<C> {
  const call = read(param);
  return call ? { call, text: null } : { call: empty, text: param };
}

/** What a stored job runs. */
function runsFrom(job: Job): Pick<JobValues, "runs" | "handler" | "sources" | "http" | "command" | "param"> {
  const { kind = "named", name = "", source = "" } = job.handler ?? {};
  const runs: RunKind = job.template ? "template" : kind === "named" ? kindOfHandler(name) : kind;
  const param = job.param ?? "";
  return {
    runs,
    handler: runs === "handler" ? name : "",
    sources: isScript(runs) ? { ...noSources(), [runs]: source } : noSources(),
    http: writtenOf(runs === "http" ? param : "", callOf, emptyCall),
    command: writtenOf(runs === "command" ? param : "", commandOf, emptyCommand),
    param: runs === "http" || runs === "command" ? "" : param,
  };
}

/** The form of a job that is there. */
export function valuesOf(job: Job): JobValues {
  return {
    key: job.key,
    title: job.title ?? "",
    description: job.description ?? "",
    group: job.group,
    labels: pairs(job.labels),
    schedule: scheduleFrom(job.schedule),
    misfire: (job.misfire || "skip") as JobValues["misfire"],
    misfire_limits: {
      threshold: shortDuration(job.misfire_limits?.threshold),
      window: shortDuration(job.misfire_limits?.window),
      max: typed(job.misfire_limits?.max),
      spacing: shortDuration(job.misfire_limits?.spacing),
    },
    stop_after: typed(job.stop_after),
    ...runsFrom(job),
    inputs: rowsOf(job.inputs),
    template: job.template ?? "",
    pinned: Boolean(job.template_version),
    template_version: typed(job.template_version),
    route: job.route,
    shards: typed(job.shards),
    overlap: job.overlap,
    concurrency: typed(job.concurrency),
    overlap_scope: job.overlap_scope,
    overlap_queue: typed(job.overlap_queue),
    timeout: shortDuration(job.timeout),
    retry: retryFrom(job.retry),
    on_crash: job.on_crash,
    children: (job.children ?? []).map((child) => ({
      key: child.key ?? "",
      on: child.on ?? "success",
      own: !child.param,
      param: child.param ?? "",
    })),
    delivery: {
      priority: job.delivery?.priority || "normal",
      expire_after: shortDuration(job.delivery?.expire_after),
      deadline: shortDuration(job.delivery?.deadline),
      selector: pairs(job.delivery?.selector),
      keep_for: shortDuration(job.delivery?.keep_for),
      keep_runs: typed(job.delivery?.keep_runs),
    },
    logs: {
      off: job.logs?.off ?? false,
      keep_for: shortDuration(job.logs?.keep_for),
      max_bytes: typed(job.logs?.max_bytes),
    },
    alarm_emails: job.alarm_emails ?? [],
    enabled: job.enabled,
  };
}
