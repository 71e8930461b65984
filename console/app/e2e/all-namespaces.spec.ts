import { expect, test } from "./server";

test.describe.configure({ timeout: 240_000 });

test("all namespaces are shown together, and what pauses hold is hatched", async ({ signedIn: page, orth }) => {
  const url = "https://example.com/hook";
  for (const namespace of ["default", "team"]) {
    await orth.api("POST", `/alarm/channels?namespace=${namespace}`, {
      key: "all-ops",
      kind: "webhook",
      secrets: { url },
    });
    await orth.api("POST", `/alarm/rules?namespace=${namespace}`, {
      key: "all-night",
      kinds: ["failed"],
      channels: ["all-ops"],
    });
    await orth.api("POST", `/jobs?namespace=${namespace}`, {
      key: "hourly",
      group: "samples",
      schedule: { kind: "cron", cron: "0 0 * * * ?", zone: "UTC" },
      handler: { kind: "shell", source: "true\n" },
      enabled: true,
    });
  }
  await orth.api("PUT", "/pauses/move", { namespace: "team", reason: "the warehouse moves" });

  await page.goto(`${orth.url}/console/alarms/rules`);
  await expect(page.getByRole("link", { name: "all-night" })).toHaveCount(2);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toBeVisible();
  await page.getByRole("row", { name: /team/ }).getByRole("link", { name: "all-night" }).click();
  await expect(page.getByText("In the namespace team")).toBeVisible();
  await page.goto(`${orth.url}/console/alarms/channels?ns=team`);
  await expect(page.getByRole("link", { name: "all-ops" })).toHaveCount(1);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toHaveCount(0);

  await page.goto(`${orth.url}/console/timeline`);
  await expect(page.getByRole("link", { name: "team/samples" })).toBeVisible();
  await expect(page.getByRole("img", { name: /^team\/samples.*held back by the pause move/ })).toBeVisible();
  await expect(page.locator('[data-held="move"]')).toHaveCount(1);
});
