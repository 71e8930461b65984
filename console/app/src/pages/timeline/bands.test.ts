import { describe, expect, it } from "vitest";
import type { Pause } from "../pauses/pause";
import { bandsOf, bandsOver } from "./bands";

const from = Date.parse("2030-01-31T08:00:00Z");
const at = (minute: number) => new Date(from + minute * 60_000).toISOString();
const pause = (part: Partial<Pause>): Pause =>
  ({
    key: "p",
    active: false,
    from: at(-600),
    created_at: at(-600),
    updated_at: at(-600),
    version: 1,
    ...part,
  }) as Pause;
const window = { cron: "0 0 * * * ?", for: "10m0s" };

describe("bandsOf", () => {
  it.each<[string, Partial<Pause>, Record<string, string[]>, [number, number][]]>([
    ["from now on", { from: at(10) }, {}, [[10, 60]]],
    ["a while", { from: at(10), until: at(20) }, {}, [[10, 20]]],
    ["begun before", { until: at(20) }, {}, [[0, 20]]],
    ["over before", { until: at(-1) }, {}, []],
    ["after the end", { from: at(60) }, {}, []],
    [
      "each window",
      { window },
      { p: [at(-5), at(20), at(55)] },
      [
        [0, 5],
        [20, 30],
        [55, 60],
      ],
    ],
    ["windows until the end of the pause", { window, until: at(25) }, { p: [at(20), at(40)] }, [[20, 25]]],
    ["the present window", { window, active: true, ends_at: at(4) }, {}, [[0, 4]]],
    ["the next window", { window, begins_at: at(30) }, {}, [[30, 40]]],
    ["a window of which nothing is known", { window }, {}, []],
  ])("%s", (_, part, windows, want) =>
    expect(bandsOf([pause(part)], windows, from, 60).map((one) => [one.from, one.until])).toEqual(want),
  );
});

describe("bandsOver", () => {
  const bands = bandsOf(
    [
      pause({ key: "all" }),
      pause({ key: "space", namespace: "team" }),
      pause({ key: "group", namespace: "team", groups: ["g"] }),
    ],
    {},
    from,
    60,
  );
  const over = (...places: [string, string][]) =>
    bandsOver(
      bands,
      places.map(([namespace, group]) => ({ namespace, group })),
    ).map((one) => one.pause.key);
  it("takes pauses that hold each of the jobs", () => {
    expect(over(["team", "g"])).toEqual(["all", "space", "group"]);
    expect(over(["team", "g"], ["team", "h"])).toEqual(["all", "space"]);
    expect(over(["team", "g"], ["default", "g"])).toEqual(["all"]);
    expect(over()).toEqual([]);
  });
});
