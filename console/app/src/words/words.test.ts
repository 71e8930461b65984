import { describe, expect, it } from "vitest";
import { languageOf, textIn, words } from "./index";

describe("languageOf", () => {
  it.each([
    [["zh-CN"], "zh-CN"],
    [["zh"], "zh-CN"],
    [["zh-Hant-HK"], "zh-TW"],
    [["zh-TW", "en"], "zh-TW"],
    [["fr", "en-GB"], "en"],
    [["fr", "zh-SG"], "zh-CN"],
    [[], "en"],
  ] as const)("%j is %s", (wishes, language) => expect(languageOf(wishes)).toBe(language));
});

describe("wordIn", () => {
  const some = words("some", {
    title: ["Jobs", "任务", "任務"],
    n_one: ["{{count}} job of {{who}}", "{{who}} 的 {{count}} 个任务", "{{who}} 的 {{count}} 個任務"],
    n_other: ["{{count}} jobs of {{who}}", "{{who}} 的 {{count}} 个任务", "{{who}} 的 {{count}} 個任務"],
    left: ["{{unknown}} stays", "", ""],
  });
  it("speaks each language", () => {
    expect(textIn(some, "en", "title")).toBe("Jobs");
    expect(textIn(some, "zh-TW", "title")).toBe("任務");
  });
  it("tells one from many", () => {
    expect(textIn(some, "en", "n", { count: 1, who: "us" })).toBe("1 job of us");
    expect(textIn(some, "en", "n", { count: 0, who: "us" })).toBe("0 jobs of us");
    expect(textIn(some, "zh-CN", "n", { count: 1, who: "a" })).toBe("a 的 1 个任务");
  });
  it("fills values as they are", () => {
    expect(textIn(some, "en", "n", { count: 2, who: "{{count}} $& <b>" })).toBe("2 jobs of {{count}} $& <b>");
    expect(textIn(some, "en", "left")).toBe("{{unknown}} stays");
  });
  it("keeps an empty word empty", () => expect(textIn(some, "zh-CN", "left")).toBe(""));
});
