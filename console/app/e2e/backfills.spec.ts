import { expect, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });

test("a backfill is watched and cancelled", async ({ signedIn: page, orth }) => {
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const made = await orth.api<{ id: string }>("POST", "/jobs/sample-shell/backfills", {
    from: new Date(now - 3_600_000).toISOString(),
    to: new Date(now).toISOString(),
    spacing: "2s",
    param: '{"again":true}',
  });
  await page.goto(`${orth.url}/console/backfills`);
  await expect(page.getByRole("link", { name: made.id, exact: true })).toBeVisible();
  await shootAll(page, "backfills");
  await page.goto(`${orth.url}/console/backfills/${made.id}`);
  await expect(page.getByText(/[1-9]\d* of 240 done/)).toBeVisible({ timeout: 20_000 });
  await shootAll(page, "backfill");
  await page.getByRole("button", { name: "Cancel backfill" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("enough");
  await dialog.getByRole("button", { name: "Cancel backfill" }).click();
  await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("enough")).toBeVisible();
});
