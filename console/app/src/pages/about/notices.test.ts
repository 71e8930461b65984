import { describe, expect, it } from "vitest";
import { oneVersion, parseNotices } from "./notices";

describe("parseNotices", () => {
  it("reads libraries by name", () =>
    expect(
      parseNotices([
        { name: "react", version: "19", identifier: "MIT", text: "MIT License" },
        { name: "clsx", version: "2" },
      ]),
    ).toEqual([
      { name: "clsx", version: "2", identifier: null, text: "" },
      { name: "react", version: "19", identifier: "MIT", text: "MIT License" },
    ]));
  it.each([[null], [{}], ["<!doctype html>"], [[]], [[null, 3]]])("%j is none", (read) =>
    expect(parseNotices(read)).toBeNull(),
  );
});

it.each([
  [[], true],
  [["1.0.0", "1.0.0"], true],
  [["1.0.0", "1.1.0"], false],
])("%j are one version: %s", (versions, one) => expect(oneVersion(versions)).toBe(one));
