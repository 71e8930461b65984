import { describe, expect, it } from "vitest";
import { commandOf } from "./command";
import { faultsOf, whenFaults } from "./faults";
import { callOf, type HttpCall } from "./httpcall";
import { emptyInput } from "./inputs";
import { emptyJob, type JobValues } from "./values";

const blank = { kind: "cron", cron: "", every: "", daily: "", at: "", rest: {} } as const;

function wrong(change: (values: JobValues) => void): object {
  const values = emptyJob("reports");
  values.key = "report";
  values.handler = "report";
  change(values);
  return faultsOf(values, (key) => key);
}

const named = (name: string) => ({ ...emptyInput(false), name });
const http = (more: Partial<HttpCall>) => (v: JobValues) => {
  v.runs = "http";
  v.http = { call: { ...(callOf('{"url":"https://example.com"}') as HttpCall), ...more }, text: null };
};
const command = (param: string) => (v: JobValues) => {
  v.runs = "command";
  v.command = { call: commandOf(param) ?? v.command.call, text: null };
};

describe("faultsOf", () => {
  it("has nothing to say about a job of defaults", () => expect(wrong(() => {})).toEqual({}));
  it.each<[string, (v: JobValues) => void, Record<string, string>]>([
    ["no key", (v) => (v.key = ""), { key: "errRequired" }],
    ["a key with capitals", (v) => (v.key = "Report"), { key: "errKey" }],
    ["a key that ends in a dot", (v) => (v.key = "a."), { key: "errKey" }],
    ["a key that is too long", (v) => (v.key = "a".repeat(65)), { key: "errKey" }],
    ["no group", (v) => (v.group = " "), { group: "errRequired" }],
    ["no expression", (v) => (v.schedule.cron = ""), { "schedule.cron": "errRequired" }],
    ["no handler", (v) => (v.handler = ""), { "handler.name": "errRequired" }],
    ["no source", (v) => (v.runs = "python"), { "handler.source": "errRequired" }],
    ["no template", (v) => (v.runs = "template"), { template: "errRequired" }],
    ["no address", http({ url: " " }), { "param.url": "errRequired" }],
    ["an input without a name", (v) => (v.inputs = [emptyInput(true)]), { "inputs.0.name": "errRequired" }],
    [
      "inputs of one name, and a bound that is no number",
      (v) => (v.inputs = [named("day"), { ...named("day"), max: "many" }, named("Day")]),
      { "inputs.1.name": "errTwiceName", "inputs.1.max": "errNotNumber", "inputs.2.name": "errKey" },
    ],
    ["a status that is none", http({ expect: "200, 6xx" }), { "param.expect": "errStatus" }],
    ["a body that is no JSON", http({ kind: "json", body: "{" }), { "param.body": "wrongJson" }],
    [
      "a header twice",
      http({ headers: [1, 2].map(() => ({ key: "A", value: "" })) }),
      { "param.headers": "errTwiceName" },
    ],
    ["a time limit of a call", http({ timeout: "soon" }), { "param.timeout": "errDuration" }],
    [
      "an empty text in place of a call",
      (v) => Object.assign(v, { runs: "http", http: { ...v.http, text: " " } }),
      { param: "errRequired" },
    ],
    ["no program", command(""), { "param.program": "errRequired" }],
    ["a folder that is not absolute", command('{"program":"a","dir":"b/c"}'), { "param.dir": "errDir" }],
    [
      "a variable of the executor",
      command('{"program":"a","env":{"ORTH_JOB_ID":"1"}}'),
      { "param.env": "errVariable" },
    ],
    [
      "a member without a period",
      (v) => Object.assign(v.schedule, { kind: "several", of: [{ ...blank, kind: "every" }] }),
      { "schedule.of.0": "errRequired" },
    ],
    ["a time limit without a unit", (v) => (v.timeout = "30"), { timeout: "errDuration" }],
    ["a negative duration", (v) => (v.timeout = "-3s"), { timeout: "errDuration" }],
    ["a label twice", (v) => (v.labels = [1, 2].map(() => ({ key: "a", value: "" }))), { labels: "errTwice" }],
    ["no retries", (v) => (v.retry.way = "growing"), { "retry.tries": "errRequired" }],
    [
      "too many at once",
      (v) => Object.assign(v, { overlap: "concurrent", concurrency: "65" }),
      { concurrency: "errNumber" },
    ],
    ["half a shard", (v) => Object.assign(v, { route: "broadcast", shards: "1.5" }), { shards: "errNumber" }],
    [
      "a child without a key",
      (v) => v.children.push({ key: "", on: "success", own: true, param: "" }),
      { "children.0.key": "errRequired" },
    ],
    ["a long description", (v) => (v.description = "ä".repeat(4001)), { description: "errLong" }],
    ["no mail address", (v) => (v.alarm_emails = ["ops"]), { alarm_emails: "errEmail" }],
    [
      "one bad delay of several",
      (v) => Object.assign(v.retry, { way: "list", delays: "1s, soon" }),
      { "retry.delays": "errDuration" },
    ],
    [
      "more than all by chance",
      (v) => Object.assign(v.retry, { way: "list", delays: "1s", jitter: "101" }),
      { "retry.jitter": "errShare" },
    ],
  ])("sees %s", (_, change, found) => expect(wrong(change)).toEqual(found));
  it("does not look at what another kind of schedule would need", () =>
    expect(wrong((v) => Object.assign(v.schedule, { kind: "manual", cron: "", count: "x" }))).toEqual({}));
  it.each<[string, (v: JobValues) => void]>([
    ["another route", (v) => (v.shards = "x")],
    ["another overlap", (v) => (v.concurrency = "x")],
    ["logs that are not kept", (v) => Object.assign(v.logs, { off: true, keep_for: "x" })],
    ["misfires that are skipped", (v) => (v.misfire_limits.max = "x")],
    [
      "another kind of code",
      (v) => Object.assign(v, { runs: "shell", handler: "", sources: { ...v.sources, shell: "x" } }),
    ],
    ["a call that is kept as text", (v) => Object.assign(v, { runs: "http", http: { ...v.http, text: "{}" } })],
    ["seconds as a time limit", http({ timeout: "2.5" })],
    ["a folder of Windows", command(JSON.stringify({ program: "a", dir: "C:\\x" }))],
  ])("does not look at what is not shown: %s", (_, change) => expect(wrong(change)).toEqual({}));
});

describe("whenFaults", () => {
  it("knows whether a schedule is whole", () => {
    const values = emptyJob();
    expect(whenFaults(values, (key) => key)).toEqual({});
    values.schedule.kind = "every";
    expect(whenFaults(values, (key) => key)).toEqual({ "schedule.every": "errRequired" });
  });
});
