import { checkAxe, expect, setLook, shoot, test } from "./server";

/** The pages of the navigation, with what their heads say in 繁體中文. */
const pages = [
  ["", "總覽"],
  ["timeline", "時間軸"],
  ["jobs", "任務"],
  ["jobs/new", "新增任務"],
  ["runs", "排程日誌"],
  ["workflows", "工作流程"],
  ["dead-letters", "死信"],
  ["backfills", "補數"],
  ["templates", "任務範本"],
  ["groups", "執行器管理"],
  ["alarms", "告警"],
  ["alarms/rules?new=1", "告警"],
  ["alarms/channels?new=1", "告警"],
  ["calendars", "行事曆"],
  ["pauses", "暫停"],
  ["secrets", "機密"],
  ["users", "使用者管理"],
  ["namespaces", "命名空間"],
  ["audit", "稽核"],
  ["settings", "設定"],
  ["import", "匯入"],
  ["me", "我的帳戶"],
  ["about", "Orth"],
] as const;

// The words are tested without a browser; these look at each page in other languages, for minutes.
test("pauses hatch the timeline, in each language", async ({ signedIn: page, orth }) => {
  const hour = 3_600_000;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await orth.api("PUT", "/pauses/languages", { groups: ["samples"], from: at(-hour), until: at(hour), reason: "搬遷" });
  await page.goto(`${orth.url}/console/timeline`);
  for (const [theme, language] of [
    ["dark", "zh-TW"],
    ["light", "zh-CN"],
  ] as const) {
    await setLook(page, theme, language);
    await expect(page.locator('[data-held="languages"]').first()).toBeAttached();
    await checkAxe(page);
  }
  await orth.api("DELETE", "/pauses/languages");
});

test("every page speaks 繁體中文", async ({ signedIn: page, orth }) => {
  await page.addInitScript(() => localStorage.setItem("orth.language", "zh-TW"));
  for (const [path, head] of pages) {
    await test.step(`/${path}`, async () => {
      await page.goto(`${orth.url}/console/${path}`);
      await expect(page.locator("h1").first()).toContainText(head);
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      // The bar at the foot of the form stands over half of a row of buttons here; jobs.spec.ts looks at the form itself.
      if (path !== "jobs/new") await checkAxe(page);
      await shoot(page, `zh-tw-${path.replace(/\W+/g, "-") || "dashboard"}`, true);
    });
  }
});
