import { describe, expect, it } from "vitest";
import type { Job } from "@/api/types";
import { bodyOf } from "./body";
import { type JsonObject, patchOf } from "./mergepatch";
import { delaysBefore } from "./retrycurve";
import { emptyJob, shortDuration, valuesOf } from "./values";

const stored = {
  id: 7,
  namespace: "default",
  key: "report",
  group: "reports",
  title: "Report",
  description: "What it is for.\nWhat to do.",
  schedule: {
    kind: "several",
    zone: "Asia/Shanghai",
    of: [
      {
        kind: "cron",
        cron: "0 0 9 * * ?",
        zone: "Europe/Berlin",
        dst: { gap: "fire_after", overlap: "first", straight: true },
      },
      { kind: "every", every: "1h30m0s", anchor: "2026-01-01T00:00:00.000Z" },
    ],
    calendars: ["cn"],
    excluded: "shift",
    jitter: "5m0s",
  },
  misfire: "fire_all",
  misfire_limits: { threshold: "5s", max: 10 },
  handler: { kind: "python", source: "print(1)\n", source_at: "2026-01-01T00:00:00.000Z" },
  param: "a",
  inputs: [
    { name: "day", pattern: "[0-9-]+", description: "Which day." },
    { name: "count", type: "integer", default: "0", options: ["0", "5"], min: 0, max: 9 },
    { name: "note", default: "" },
  ],
  route: "broadcast",
  shards: 4,
  overlap: "concurrent",
  concurrency: 3,
  overlap_scope: "cluster",
  overlap_queue: 50,
  labels: { team: "a", owner: "ops" },
  timeout: "1h0m0s",
  retry: { tries: 5, initial: "10s", multiplier: 3, max: "10m0s", jitter: 0.25, on: ["failed", "lost"] },
  on_crash: "rerun",
  children: [{ id: 9, key: "send", on: "always", param: "{{result}}" }],
  delivery: { priority: "high", expire_after: "10m0s", selector: { zone: "eu" }, keep_runs: 5 },
  logs: { max_bytes: 4096 },
  alarm_emails: ["ops@example.com"],
  stop_after: 3,
  enabled: true,
  version: 4,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
} as unknown as Job;

const bodyAsJson = (job: Job) => bodyOf(valuesOf(job)) as unknown as JsonObject;

describe("a job in the form", () => {
  it("comes back as it was", () => {
    const body = bodyAsJson(stored);
    expect(body).toEqual({
      key: "report",
      group: "reports",
      title: "Report",
      description: "What it is for.\nWhat to do.",
      schedule: {
        ...stored.schedule,
        jitter: "5m",
        of: [stored.schedule.of?.[0], { kind: "every", every: "1h30m", anchor: "2026-01-01T00:00:00.000Z" }],
      },
      misfire: "fire_all",
      misfire_limits: { threshold: "5s", max: 10 },
      handler: { kind: "python", source: "print(1)\n" },
      param: "a",
      inputs: stored.inputs,
      route: "broadcast",
      shards: 4,
      overlap: "concurrent",
      concurrency: 3,
      overlap_scope: "cluster",
      overlap_queue: 50,
      labels: { team: "a", owner: "ops" },
      timeout: "1h",
      retry: { tries: 5, initial: "10s", multiplier: 3, max: "10m", jitter: 0.25, on: ["failed", "lost"] },
      on_crash: "rerun",
      children: [{ key: "send", on: "always", param: "{{result}}" }],
      delivery: { priority: "high", expire_after: "10m", selector: { zone: "eu" }, keep_runs: 5 },
      logs: { max_bytes: 4096 },
      alarm_emails: ["ops@example.com"],
      stop_after: 3,
    });
  });
  it("changes only what was changed", () => {
    const values = valuesOf(stored);
    values.title = "";
    values.description = "";
    values.retry.max = "";
    values.overlap = "serial";
    values.children = [];
    expect(patchOf(bodyAsJson(stored), bodyOf(values) as unknown as JsonObject)).toEqual({
      title: null,
      description: null,
      retry: { max: null },
      overlap: "serial",
      concurrency: null,
      children: null,
    });
  });
  it("has rules for clock changes of each of several schedules, and none of all of them", () => {
    const wall = { gap: "fire_after", overlap: "first", straight: true };
    const values = emptyJob("reports");
    values.schedule.kind = "several";
    values.schedule.of = [
      { kind: "cron", cron: "0 0 9 * * ?", every: "", daily: "", at: "", rest: {} },
      { kind: "every", cron: "", every: "1h", daily: "", at: "", rest: { dst: wall } },
    ];
    expect(bodyOf(values).schedule).toEqual({
      kind: "several",
      of: [
        { kind: "cron", cron: "0 0 9 * * ?", dst: wall },
        { kind: "every", every: "1h" },
      ],
    });

    const quartz = { gap: "skip", overlap: "second", straight: false };
    const cron = (cron: string, dst?: object) => ({ kind: "cron", cron, ...(dst && { dst }) });
    const edited = (...of: object[]) => {
      const values = valuesOf({ ...stored, schedule: { kind: "several", of } } as unknown as Job);
      const shown = { ...values.schedule.dst };
      values.schedule.dst.overlap = "both";
      return [shown, bodyOf(values).schedule?.of?.map((one) => one.dst)];
    };
    const [one, two] = ["0 0 9 * * ?", "0 0 10 * * ?"];
    const both = (dst: object) => ({ ...dst, overlap: "both" });
    expect(edited(cron(one, wall), cron(two, wall))).toEqual([wall, [both(wall), both(wall)]]);
    expect(edited(cron(one), cron(two))).toEqual([quartz, [both(quartz), both(quartz)]]);
    expect(edited(cron(one, wall), cron(two, quartz))).toEqual([quartz, [wall, quartz]]);
  });
  it("leaves a template's code alone", () => {
    const instance = { ...stored, template: "base", handler: undefined } as Job;
    const body = bodyOf(valuesOf(instance));
    expect(body.template).toBe("base");
    expect(body.handler).toBeUndefined();
  });
  it("has little to say about a job of defaults", () => {
    const values = emptyJob("reports");
    values.key = "a";
    values.handler = "hello";
    values.schedule.kind = "manual";
    expect(bodyOf(values)).toEqual({
      key: "a",
      group: "reports",
      schedule: { kind: "manual" },
      misfire: "skip",
      handler: { kind: "named", name: "hello" },
      route: "round",
      overlap: "serial",
      overlap_scope: "cluster",
      on_crash: "report",
    });
  });
});

describe("shortDuration", () => {
  it.each([
    ["1h0m0s", "1h"],
    ["1h30m0s", "1h30m"],
    ["5m0s", "5m"],
    ["1m30s", "1m30s"],
    ["10s", "10s"],
    ["100h0m10s", "100h0m10s"],
    ["0s", ""],
    ["20m0s", "20m"],
    ["500ms", "500ms"],
    ["720h0m0s", "720h"],
  ])("%s is %s", (long, short) => expect(shortDuration(long)).toBe(short));
});

describe("delaysBefore", () => {
  const retry = (own: Partial<ReturnType<typeof emptyJob>["retry"]>) => ({ ...emptyJob().retry, ...own });
  const seconds = (own: Parameters<typeof retry>[0]) => delaysBefore(retry(own)).map((one) => one.delay / 1_000);
  it("grows up to the longest", () =>
    expect(seconds({ way: "growing", tries: "5", initial: "1s", max: "5s" })).toEqual([1, 2, 4, 5, 5]));
  it("is nothing without a first delay", () => expect(seconds({ way: "growing", tries: "2" })).toEqual([0, 0]));
  it("goes on with the last of a list", () =>
    expect(seconds({ way: "list", tries: "4", delays: "1s, 1m" })).toEqual([1, 60, 60, 60]));
  it("takes as many tries as there are delays", () =>
    expect(seconds({ way: "list", delays: "1s 5s 9s" })).toEqual([1, 5, 9]));
  it("tells the bounds of chance", () =>
    expect(delaysBefore(retry({ way: "growing", tries: "1", initial: "10s", jitter: "20" }))).toEqual([
      { least: 8_000, delay: 10_000, most: 12_000 },
    ]));
  it.each([{ tries: "x" }, { tries: "0" }, { tries: "2", initial: "soon" }, { tries: "2", multiplier: "0" }])(
    "draws nothing of %j",
    (own) => expect(seconds({ way: "growing", ...own })).toEqual([]),
  );
});
