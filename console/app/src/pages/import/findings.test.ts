import { describe, expect, it } from "vitest";
import { findingIn, findingWords } from "./findings";

describe("findings", () => {
  const one = { code: "too-many-children", args: ["7", "20"], text: "its child_jobid 7 is left out" } as const;
  it("are said in the language of the user", () => {
    const finding = { ...one, args: [...one.args] };
    expect(findingIn("en", finding)).toBe("its child_jobid 7 is left out");
    expect(findingIn("zh-CN", finding)).toBe("child_jobid 7 未导入：一个任务最多有 20 个子任务");
    expect(findingIn("zh-TW", finding)).toBe("child_jobid 7 未匯入：一個任務最多有 20 個子任務");
  });
  it("name the cause of what is left out", () => {
    const wrong = {
      code: "cron-hour",
      args: ["0 25 * * *", "3"],
      text: "it is left out: hour (column 3): 25",
    } as const;
    const finding = { ...wrong, args: [...wrong.args] };
    expect(findingIn("zh-CN", finding)).toBe(
      "未导入：表达式“0 25 * * *”的“时”字段有误（第 3 个字符）；允许 0-23、*，以及列表、范围与步长",
    );
    expect(findingIn("zh-TW", finding)).toContain("「時」欄位有誤");
  });
  it("are shown as they are when another server says what is not known here", () => {
    expect(findingIn("zh-CN", { text: "new" })).toBe("new");
    expect(findingIn("zh-CN", { code: "no-such" as "left-out", args: [], text: "new" })).toBe("new");
  });
  it("have the same parts in both scripts", () => {
    for (const [code, [hans, hant]] of Object.entries(findingWords)) {
      const parts = (text: string) => text.match(/\{\d+\}/g) ?? [];
      expect(parts(hant), code).toEqual(parts(hans));
    }
  });
});
