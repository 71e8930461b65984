import { expect, shootAll, test } from "./server";

test("the audit is read, narrowed and opened", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs/sample-go/stop");
  await orth.api("POST", "/jobs/sample-go/start");
  await page.goto(`${orth.url}/console/audit`);
  const rows = page.getByRole("table", { name: "Audit log" });
  await expect(rows.getByText("stop-job")).toBeVisible();
  await expect(rows.getByText("sign-in", { exact: true }).first()).toBeVisible();
  await shootAll(page, "audit");
  await page.goto(`${orth.url}/console/audit?operation=stop-job`);
  await expect(rows.getByText("start-job")).toHaveCount(0);
  await rows.getByText("stop-job").first().click();
  const line = page.getByRole("dialog");
  await expect(line.getByRole("rowheader", { name: "enabled" })).toBeVisible();
  await shootAll(page, "audit-line");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await expect(page.getByRole("dialog").getByText("orth audit verify")).toBeVisible();
});

test("settings, servers and warnings are told", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/settings`);
  await page.getByRole("searchbox", { name: "Find a setting" }).fill("lease");
  await expect(page.getByText("lease-ttl", { exact: true })).toBeVisible();
  await expect(page.getByText("listen", { exact: true })).toHaveCount(0);
  await shootAll(page, "settings");
  await page.getByRole("tab", { name: "Servers" }).click();
  await expect(page.getByText("Ready", { exact: true })).toBeVisible();
  await expect(page.getByText("planner")).toBeVisible();
  await shootAll(page, "servers");
  await page.getByRole("tab", { name: "Warnings" }).click();
  await expect(page.getByText(/No warnings|Issues to fix/)).toBeVisible();
  await shootAll(page, "warnings");
});

test("a namespace is looked at alone, and all again", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/namespaces`);
  const rows = page.getByRole("table", { name: "Namespaces" });
  await expect(rows.getByText("default")).toBeVisible();
  await shootAll(page, "namespaces");
  await rows.getByRole("button", { name: "Show only this" }).first().click();
  await expect(page).toHaveURL(/ns=default/);
  await rows.getByRole("button", { name: "Show all" }).click();
  await expect(page).not.toHaveURL(/ns=/);
});
