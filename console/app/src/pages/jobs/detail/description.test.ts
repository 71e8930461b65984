import { describe, expect, it } from "vitest";
import { partsOf } from "./description";

describe("the pieces of a description", () => {
  const cases: [string, string, string[]][] = [
    ["nothing", "", []],
    ["words alone", "Writes the books.\nOne line more.", []],
    [
      "an address within a sentence",
      "See https://wiki.example.com/a?b=c#d, then call.",
      ["https://wiki.example.com/a?b=c#d"],
    ],
    ["in brackets", "(http://a.example/x)", ["http://a.example/x"]],
    ["in Chinese", "参见https://a.example/运维。然后重试", ["https://a.example/运维"]],
    [
      "several, and at the end",
      "https://a.example/1 https://b.example/2.",
      ["https://a.example/1", "https://b.example/2"],
    ],
    ["what must not be followed", "javascript:alert(1) data:text/html,x ftp://a.example //b.example", []],
    ["no address at all", "https:// http://.", []],
  ];
  it.each(cases)("%s", (_, text, links) => {
    const parts = partsOf(text);
    expect(parts.map((part) => part.text).join("")).toBe(text);
    expect(parts.flatMap((part) => (part.href === undefined ? [] : [part.href]))).toEqual(links);
  });
});
