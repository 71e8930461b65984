import { describe, expect, it } from "vitest";
import { jobSchema } from "./schema";
import { emptyJob, type JobValues } from "./values";

const schema = jobSchema((key) => key);

function wrong(change: (values: JobValues) => void): Record<string, string> {
  const values = emptyJob("reports");
  values.key = "report";
  values.handler.name = "report";
  change(values);
  const checked = schema.safeParse(values);
  if (checked.success) return {};
  return Object.fromEntries(checked.error.issues.map((issue) => [issue.path.join("."), issue.message]));
}

describe("jobSchema", () => {
  it("has nothing to say about a job of defaults", () => expect(wrong(() => {})).toEqual({}));
  it.each<[string, (v: JobValues) => void, Record<string, string>]>([
    ["no key", (v) => (v.key = ""), { key: "errRequired" }],
    ["a key with capitals", (v) => (v.key = "Report"), { key: "errKey" }],
    ["a key that ends in a dot", (v) => (v.key = "a."), { key: "errKey" }],
    ["a key that is too long", (v) => (v.key = "a".repeat(65)), { key: "errKey" }],
    ["no group", (v) => (v.group = " "), { group: "errRequired" }],
    ["no expression", (v) => (v.schedule.cron = ""), { "schedule.cron": "errRequired" }],
    ["no handler", (v) => (v.handler.name = ""), { "handler.name": "errRequired" }],
    ["no source", (v) => (v.code = "script"), { "handler.source": "errRequired" }],
    ["no template", (v) => (v.code = "template"), { template: "errRequired" }],
    ["a time limit without a unit", (v) => (v.timeout = "30"), { timeout: "errDuration" }],
    ["a negative duration", (v) => (v.timeout = "-3s"), { timeout: "errDuration" }],
    ["a label twice", (v) => (v.labels = [1, 2].map(() => ({ key: "a", value: "" }))), { labels: "errTwice" }],
    ["no retries", (v) => (v.retry.way = "growing"), { "retry.tries": "errRequired" }],
    ["too many at once", (v) => (v.concurrency = "65"), { concurrency: "errNumber" }],
    ["half a shard", (v) => (v.shards = "1.5"), { shards: "errNumber" }],
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
});
