import { describe, expect, it } from "vitest";
import { sentenceText } from "./sentence";

describe("sentenceText", () => {
  it("turns 简体 into 繁體", () =>
    expect(sentenceText("每天 02:30，从启动后每 5 分钟，离开的时间", "zh-TW")).toBe(
      "每天 02:30，從啟動後每 5 分鐘，離開的時間",
    ));
  it("leaves other languages alone", () => {
    expect(sentenceText("每分钟", "zh-CN")).toBe("每分钟");
    expect(sentenceText("At 02:30", "en")).toBe("At 02:30");
  });
});
