import { describe, expect, it } from "vitest";
import type { Run } from "@/api/types";
import { parseSearch, stringifySearch } from "@/shell/search";
import { csvOf } from "./csv";
import { bulkFilterOf, filtersSet, mayShow, queryOf, type RunSearch, readSearch, timesOf } from "./filters";
import { merged, mergedPages, newIn, type RunEvent, runEventOf } from "./merge";
import { instantOf, localOf, presets, rangeOf } from "./range";
import { lagOf, oneLine, saidOf, stepsOf, whyOf } from "./timeline";

const now = new Date(2026, 2, 11, 15, 30).getTime(); // a Wednesday
const local = (y: number, m: number, d: number) => new Date(y, m - 1, d).getTime();

describe("ranges", () => {
  it.each([
    ["today", local(2026, 3, 11), undefined],
    ["yesterday", local(2026, 3, 10), local(2026, 3, 11)],
    ["this_week", local(2026, 3, 9), undefined],
    ["last_week", local(2026, 3, 2), local(2026, 3, 9)],
    ["this_month", local(2026, 3, 1), undefined],
    ["last_month", local(2026, 2, 1), local(2026, 3, 1)],
    ["hour", now - 3_600_000, undefined],
  ] as const)("%s", (preset, from, to) => expect(rangeOf(preset, now)).toEqual(to ? { from, to } : { from }));

  it("begins weeks on Monday, also on Sundays and Mondays", () => {
    expect(rangeOf("this_week", local(2026, 3, 15) + 1).from).toBe(local(2026, 3, 9));
    expect(rangeOf("this_week", local(2026, 3, 9)).from).toBe(local(2026, 3, 9));
  });

  it("never begins in the future", () => {
    for (const preset of presets) expect(rangeOf(preset, now).from).toBeLessThanOrEqual(now);
  });

  it("turns inputs into instants and back", () => {
    expect(localOf(instantOf("2026-03-11T15:30"))).toBe("2026-03-11T15:30");
    expect(instantOf("")).toBeUndefined();
    expect(localOf(undefined)).toBe("");
  });
});

describe("filters and the address", () => {
  it("leaves out what is wrong", () => {
    expect(
      readSearch({
        state: ["failed", "nonsense"],
        cause: "x",
        min_duration: "soon",
        min_tries: -1,
        sort: "size",
        time: "eon",
        from: "x",
      }),
    ).toEqual({ state: ["failed"] });
  });

  it("reads what it wrote", () => {
    const search: RunSearch = {
      state: ["failed", "lost"],
      cause: "misfire",
      job: "123",
      group: "g",
      executor: "http://a:1",
      text: "boom",
      late: "30s",
      min_duration: "1m",
      min_tries: 2,
      shards: true,
      time: "today",
      clock: "ended",
      sort: "-duration",
    };
    expect(readSearch(search)).toEqual(search);
    expect(readSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it("asks for a named range as of now", () => {
    expect(queryOf({ time: "yesterday", clock: "planned", state: ["failed", "lost"] }, now)).toEqual({
      state: "failed,lost",
      planned_since: new Date(local(2026, 3, 10)).toISOString(),
      planned_until: new Date(local(2026, 3, 11)).toISOString(),
    });
    expect(queryOf({}, now)).toEqual({});
    expect(timesOf({ from: "2026-01-01T00:00:00.000Z" }, now)).toEqual({ from: "2026-01-01T00:00:00.000Z" });
  });

  it("prefers a named range to instants", () => {
    expect(readSearch({ time: "today", from: "2026-01-01T00:00:00Z" })).toEqual({ time: "today" });
  });

  it("counts filters", () => {
    expect(filtersSet({})).toBe(0);
    expect(filtersSet({ sort: "-tries", clock: "ended" })).toBe(0);
    expect(filtersSet({ state: ["failed"], from: "a", to: "b" })).toBe(2);
  });

  it("makes filters of bulk actions, or says that it cannot", () => {
    expect(bulkFilterOf({ job: "j", state: ["queued"] }, now, "")).toEqual({ job: "j", states: ["queued"] });
    expect(bulkFilterOf({ text: "x" }, now)).toBeNull();
    expect(bulkFilterOf({ time: "today", clock: "ended" }, now)).toBeNull();
  });

  it("knows which events are about the list", () => {
    const run = { state: "failed", cause: "manual", shard: undefined } as const;
    expect(mayShow({}, run, {})).toBe(true);
    expect(mayShow({ state: ["running"] }, run, {})).toBe(false);
    expect(mayShow({ job: "a" }, run, { job: "b" })).toBe(false);
    expect(mayShow({}, { ...run, shard: { index: 0, total: 2 } }, {})).toBe(false);
  });
});

describe("events", () => {
  const run = {
    id: "7",
    job_id: 1,
    state: "queued",
    final: false,
    cause: "schedule",
    tries: 0,
    created_at: "2026-03-11T00:00:00Z",
  } as Run;
  const event = (what: Partial<RunEvent["run"]>, at = "2026-03-11T00:00:05Z"): RunEvent => ({
    change: String(what.state),
    at,
    run: { id: "7", state: "running", final: false, cause: "schedule", ...what },
  });

  it("changes runs in their place", () => {
    const running = merged(run, event({ attempt_id: "9" }));
    expect(running).toMatchObject({ state: "running", tries: 1, attempt_id: "9", started_at: "2026-03-11T00:00:05Z" });
    const over = merged(
      running,
      event({ state: "failed", final: true, message: "boom", attempt_id: "9" }, "2026-03-11T00:00:09Z"),
    );
    expect(over).toMatchObject({
      state: "failed",
      final: true,
      message: "boom",
      tries: 1,
      ended_at: "2026-03-11T00:00:09Z",
    });
    expect(merged(over, event({ state: "running" }))).toBe(over);
    expect(merged(run, event({ id: "8" }))).toBe(run);
  });

  it("keeps pages that do not change", () => {
    const pages = [{ runs: [run] }, { runs: [{ ...run, id: "1" }] }];
    const next = mergedPages(pages, [event({})]);
    expect(next[0]).not.toBe(pages[0]);
    expect(next[1]).toBe(pages[1]);
    expect(mergedPages(pages, [event({ id: "99" })])).toBe(pages);
    expect(newIn(pages, [event({ id: "99" }), event({ id: "99" }), event({})])).toEqual(new Set(["99"]));
  });

  it("reads events of runs only", () => {
    expect(runEventOf({ kind: "job" })).toBeNull();
    expect(
      runEventOf({ change: "created", at: "x", job: { id: 1, key: "k" }, run: { id: "7", state: "queued" } })?.job,
    ).toBe("k");
  });
});

describe("the way of a run", () => {
  const t = (s: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, s)).toISOString();
  it("has the times between stations", () => {
    const steps = stepsOf(
      { planned_at: t(0), created_at: t(1), started_at: t(4), ended_at: t(9), state: "succeeded", final: true },
      [{ number: 1, address: "http://a", state: "succeeded", triggered_at: t(2), accepted_at: t(4), ended_at: t(9) }],
    );
    expect(steps.map((step) => [step.station, step.lasted])).toEqual([
      ["planned", 1_000],
      ["queued", 1_000],
      ["dispatched", 2_000],
      ["running", 5_000],
      ["finished", undefined],
    ]);
    expect(steps.filter((step) => step.here).map((step) => step.station)).toEqual(["finished"]);
  });
  it("stands where it waits, with the reason", () => {
    const steps = stepsOf({ created_at: t(1), state: "queued", final: false, reason: "no executor" }, []);
    expect(steps.find((step) => step.here)).toMatchObject({ station: "queued", reason: "no executor" });
    expect(steps.map((step) => step.station)).toEqual(["queued", "dispatched", "running", "finished"]);
  });
  it("goes over stations that were not reached", () => {
    const steps = stepsOf({ created_at: t(1), ended_at: t(3), state: "cancelled", final: true }, []);
    expect(steps[0]).toMatchObject({ station: "queued", lasted: 2_000 });
  });
  it.each([
    [{ state: "queued", reason: "waits for a slot", message: "old" }, "waits for a slot"],
    [{ state: "succeeded", final: true, reason: "waits for a slot" }, ""],
    [{ state: "succeeded", final: true, reason: "waits for a slot", message: "12 rows" }, "12 rows"],
    [{ state: "failed", final: true, reason: "no executor", message: "" }, "no executor"],
    [{ state: "skipped", final: true, reason: "busy" }, "busy"],
    [{ state: "planned" }, ""],
  ])("%o says %s", (run, said) => expect(saidOf(run)).toBe(said));
  it("tells how late it began", () => {
    expect(lagOf({ cause: "schedule", planned_at: t(0), started_at: t(2), final: true }, 0)).toBe(2_000);
    expect(lagOf({ cause: "misfire", planned_at: t(0), final: false }, Date.parse(t(7)))).toBe(7_000);
    expect(lagOf({ cause: "schedule", planned_at: t(0), final: true }, Date.parse(t(7)))).toBeUndefined();
    expect(lagOf({ cause: "schedule", final: false }, 0)).toBeUndefined();
    expect(lagOf({ cause: "backfill", planned_at: t(0), started_at: t(2), final: true }, 0)).toBeUndefined();
  });
});

it("writes CSV that spreadsheets read as it is meant", () => {
  expect(
    csvOf(
      ["a", "b"],
      [
        ["x,y", 'say "hi"'],
        ["=1+1", 3],
        [undefined, "two\nlines"],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""hi"""\r\n\'=1+1,3\r\n,"two\nlines"\r\n');
});

describe("why a run ended badly", () => {
  it.each([
    [
      { state: "failed", final: true, message: "exit status 3: no rows", reason: "gave up after 1 retry" },
      "exit status 3: no rows",
    ],
    [{ state: "lost", final: true, reason: "the deadline of 2h has passed" }, "the deadline of 2h has passed"],
    [{ state: "timed_out", final: true, message: "job execute timeout " }, "job execute timeout "],
    [{ state: "waiting_retry", final: false, message: "exit status 3", reason: "attempt 1 failed" }, ""],
    [{ state: "succeeded", final: true, message: "3 rows" }, ""],
    [{ state: "cancelled", final: true, reason: "wrong day" }, ""],
  ])("%j", (run, want) => expect(whyOf(run)).toBe(want));

  it("is one line in cells", () => {
    expect(oneLine("startup failed:\na.groovy: 4:\tunable to resolve\r\n")).toBe(
      "startup failed: a.groovy: 4: unable to resolve",
    );
    expect(oneLine("")).toBe("");
  });
});
