import { describe, expect, it } from "vitest";
import {
  bodyOf,
  firesItself,
  freshKey,
  instantOf,
  isAbout,
  newValues,
  type Pause,
  placesOf,
  standing,
  valuesOf,
} from "./pause";

const now = Date.parse("2026-05-01T10:07:00Z");
const pause: Pause = {
  key: "weekly",
  reason: "the warehouse moves",
  namespace: "shop",
  groups: ["reports", "mail"],
  from: "2026-05-01T00:00:00Z",
  until: "2026-06-01T00:00:00Z",
  window: { cron: "0 0 2 ? * SUN", for: "3h", zone: "Asia/Shanghai" },
  active: false,
  version: 1,
  created_at: "2026-05-01T00:00:00Z",
};

describe("newValues", () => {
  it("is for the namespace, until somebody lifts it", () =>
    expect(bodyOf(newValues({}, "shop", "UTC", now))).toEqual({ namespace: "shop" }));
  it("takes what the address bar says", () =>
    expect(
      bodyOf(
        newValues({ from: "2026-05-02T00:00:00+02:00", until: "2026-05-03T00:00:00Z", group: "a" }, "shop", "UTC", now),
      ),
    ).toEqual({
      namespace: "shop",
      groups: ["a"],
      from: "2026-05-01T22:00:00.000Z",
      until: "2026-05-03T00:00:00.000Z",
    }));
  it("takes no nonsense", () => {
    expect(instantOf("tomorrow")).toBe("");
    expect(newValues({ from: "tomorrow" }, "shop", "UTC", now).when).toBe("now");
  });
  it("has a key", () => expect(freshKey(now)).toBe("pause-20260501-1007"));
});

describe("bodyOf", () => {
  it("gives back what it was made of", () => {
    const { key: _, active: __, version: ___, created_at: ____, ...body } = pause;
    expect(bodyOf(valuesOf(pause, "UTC"))).toEqual(body);
  });
  it("leaves out what another choice hides", () => {
    const values = { ...valuesOf(pause, "UTC"), what: "everything", when: "now" } as const;
    expect(bodyOf(values)).toEqual({ reason: "the warehouse moves" });
  });
});

describe("isAbout", () => {
  it.each([
    [{}, true],
    [{ namespace: "shop" }, true],
    [{ namespace: "other" }, false],
    [{ namespace: "shop", groups: ["mail"] }, true],
    [{ groups: ["reports"] }, false],
  ])("%j: %s", (of, about) => expect(isAbout(of, { namespace: "shop", group: "mail" })).toBe(about));
});

describe("firesItself", () => {
  it.each([
    [{ enabled: true, schedule: { kind: "cron", cron: "0 0 2 * * ?" } }, true],
    [{ enabled: false, schedule: { kind: "cron", cron: "0 0 2 * * ?" } }, false],
    [{ enabled: true, schedule: { kind: "manual" } }, false],
  ] as const)("%j: %s", (job, fires) => expect(firesItself(job)).toBe(fires));
});

describe("standing", () => {
  it.each([
    [{ active: true }, "active"],
    [{ begins_at: "2026-05-03T00:00:00Z" }, "coming"],
    [{}, "over"],
  ] as const)("%j: %s", (part, stands) => expect(standing({ ...pause, ...part })).toBe(stands));
});

describe("placesOf", () => {
  it.each([
    [{}, [["*", "*"]]],
    [{ namespace: "shop" }, [["shop", "*"]]],
    [{ groups: ["a"] }, [["*", "*"]]],
    [
      { namespace: "shop", groups: ["a", "b"] },
      [
        ["shop", "a"],
        ["shop", "b"],
      ],
    ],
  ])("%j", (of, places) => expect(placesOf(of)).toEqual(places));
});
