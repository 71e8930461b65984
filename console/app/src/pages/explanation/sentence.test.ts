import { describe, expect, it } from "vitest";
import list from "../../../../../internal/explain/testdata/sentences.json";
import { lasting, sentenceIn } from "./sentence";
import { sentences } from "./sentences";

const gapsOf = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

describe("the Chinese sentences", () => {
  it("are those of the server, each and no other", () =>
    expect(Object.keys(sentences).sort()).toEqual(Object.keys(list).sort()));
  it.each(Object.entries(list))("%s has the gaps of the English", (code, english) => {
    for (const text of sentences[code] ?? ["", ""]) expect(gapsOf(text)).toEqual(gapsOf(english));
  });
  it.each(Object.entries(sentences))("%s is Chinese with sound brackets", (code, texts) => {
    for (const text of texts) {
      expect(text).toMatch(/\p{Script=Han}/u);
      expect(text.replace(/\[[^[\]]*\{\w+\}[^[\]]*\]/g, "")).not.toMatch(/[[\]]/);
      expect(text.endsWith("。")).toBe((list as Record<string, string>)[code]?.endsWith("."));
    }
  });
});

describe("sentenceIn", () => {
  const said = {
    code: "run",
    text: "run 5 (schedule) for the slot … was lost: gone",
    values: {
      run: "5",
      cause: "schedule",
      slot: "2026-05-06T00:30:00.000Z",
      state: "lost",
      reason: "gone",
      message: "",
    },
  };
  it("is the server's own in English", () =>
    expect(sentenceIn(said, "UTC", "en")).toEqual({ text: said.text, lang: "en" }));
  it("fills the Chinese, and leaves out what is empty", () => {
    expect(sentenceIn(said, "Europe/Berlin", "zh-CN")).toEqual({
      text: "运行 5（调度），计划时间 2026-05-06 02:30:00 GMT+2：失联（gone）",
      lang: "zh-CN",
    });
    expect(sentenceIn({ ...said, values: { ...said.values, slot: "", reason: "" } }, "UTC", "zh-TW").text).toBe(
      "執行 5（排程）：失聯",
    );
  });
  it("takes the Chinese that the server has", () =>
    expect(
      sentenceIn(
        { code: "schedule", text: "its schedule: each day", values: { sentence: "each day", sentence_zh: "每天启动" } },
        "UTC",
        "zh-TW",
      ).text,
    ).toBe("其排程：每天啟動"));
  it("names what the API has by names", () =>
    expect(
      sentenceIn(
        {
          code: "run_succeeded",
          text: "",
          values: { run: "5", job: "a", late: "1m30s", what: "attempt", tries: "2" },
        },
        "UTC",
        "zh-CN",
      ).text,
    ).toBe("任务 a 的运行 5 经 2 次尝试成功，在上一次尝试结束 1 分 30 秒后结束。"));
  it("does not read values as gaps", () =>
    expect(sentenceIn({ code: "waits", text: "", values: { reason: "[x] {run}" } }, "UTC", "zh-CN").text).toBe(
      "它在等待：[x] {run}",
    ));
  it.each(["new_one", "constructor", ""])("says what it has no words for in English: %s", (code) =>
    expect(sentenceIn({ code, text: "as it is" }, "UTC", "zh-CN")).toEqual({ text: "as it is", lang: "en" }),
  );
  it("shows times in UTC when the zone is not known here", () =>
    expect(
      sentenceIn({ code: "own_slot", text: "", values: { slot: "2026-05-06T00:30:00.000Z" } }, "Local", "zh-CN").text,
    ).toBe("其计划时间是 2026-05-06 00:30:00 GMT+0。"));
});

describe("lasting", () => {
  it.each([
    ["0s", "0 毫秒"],
    ["4.6ms", "5 毫秒"],
    ["3.21s", "3.2 秒"],
    ["1m1.4s", "1 分 1 秒"],
    ["26h1m0s", "26 小时 1 分"],
    ["71h0m0s", "3 天"],
    ["-1s", "-1 秒"],
    ["soon", "soon"],
  ])("%s is %s", (text, want) => expect(lasting(text, "zh-CN")).toBe(want));
});
