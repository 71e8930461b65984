import { describe, expect, test } from "vitest";
import { chunksOf, jobRefText, parseJobRef } from "./jobRef";

describe("places", () => {
  test("a place is read as it was written", () => {
    for (const place of [
      { namespace: "default", key: "a" },
      { namespace: "team-b", key: "x.y_z-1" },
      { namespace: "team", key: "a/b" },
    ]) {
      expect(parseJobRef(jobRefText(place))).toEqual(place);
    }
  });

  test("each request names few keys of one namespace, and each key is named once", () => {
    const places = ["a/1", "b/1", "a/2", "a/3", "b/2"].map(parseJobRef);
    expect(chunksOf(places, 2)).toEqual([
      { namespace: "a", keys: ["1", "2"] },
      { namespace: "b", keys: ["1", "2"] },
      { namespace: "a", keys: ["3"] },
    ]);
    expect(chunksOf([], 2)).toEqual([]);
  });
});
