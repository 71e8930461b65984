import { anotherDay, checkAxe, expect, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });

test("a pause is made, changed and lifted", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  await orth.api("POST", "/jobs", {
    key: "hourly",
    group: "samples",
    schedule: { kind: "cron", cron: "0 0 * * * ?", zone: "UTC" },
    handler: { kind: "shell", source: "true\n" },
    enabled: true,
  });
  await page.goto(`${orth.url}/console/pauses`);
  await expect(page.getByText("No pauses", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "New pause" }).first().click();
  await dialog.getByRole("radio", { name: /^Executor groups/ }).click();
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog.getByRole("combobox", { name: "Executor groups" })).toBeFocused();
  await expect(dialog.getByText("1 field needs attention")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Executor groups" }).fill("samples");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText(/enabled schedule/)).toBeVisible();
  await expect(dialog.getByText("hourly")).toBeVisible();
  await dialog.getByLabel("Reason").fill("the warehouse moves");
  await dialog.getByRole("textbox", { name: "Key" }).fill("warehouse");
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole("row", { name: /warehouse/ });
  await expect(row).toContainText("Active");
  await expect(row).toContainText("until resumed");
  await expect(row).toContainText("Groups samples in default");
  await expect(row).toContainText("admin");

  // A window that comes again, for everything.
  await page.getByRole("button", { name: "New pause" }).click();
  await dialog.getByRole("radio", { name: /^Everything/ }).click();
  await dialog.getByRole("radio", { name: /^Recurring window/ }).click();
  await dialog.getByRole("textbox", { name: "Starts" }).fill("nonsense");
  await dialog.getByRole("textbox", { name: "Key" }).fill("weekly");
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  const weekly = `0 0 2 ? * ${anotherDay()}`;
  await dialog.getByRole("textbox", { name: "Starts" }).fill(weekly);
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(page.getByRole("row", { name: /weekly/ })).toContainText(`${weekly} for 3h`);
  await shootAll(page, "pauses");

  // Changed, while somebody else is faster.
  await page.getByRole("button", { name: "Pause warehouse" }).click();
  await expect(dialog.getByLabel("Reason")).toHaveValue("the warehouse moves");
  await orth.api("PUT", "/pauses/warehouse", { namespace: "default", groups: ["samples"], reason: "still moving" });
  await dialog.getByLabel("Reason").fill("moved");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Load their changes and keep my input" }).click();
  await expect(dialog.getByText(/You both changed: reason/)).toBeVisible();
  await expect(dialog.getByLabel("Reason")).toHaveValue("moved");
  await dialog.getByRole("button", { name: "4 h", exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText("ends in");

  await row.getByRole("button", { name: "Resume" }).click();
  await expect(dialog.getByText("hourly")).toBeVisible();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await expect(row).toBeHidden();
  await page
    .getByRole("row", { name: /weekly/ })
    .getByRole("button", { name: "Delete" })
    .click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No pauses", { exact: true })).toBeVisible();
});

test("the address opens the dialog filled in", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  const to = "/console/pauses?new=1&from=2031-05-01T10:00:00Z&until=2031-05-01T12:00:00%2B02:00";
  await page.goto(`${orth.url}${to}`);
  await expect(dialog.getByLabel("From", { exact: true })).toHaveValue("2031-05-01T12:00");
  await expect(dialog.getByLabel("Until", { exact: true })).toHaveValue("2031-05-01T12:00");
  await shootAll(page, "pause-dialog");
  await dialog.getByRole("button", { name: "2 h", exact: true }).click();
  await expect(dialog.getByLabel("Until", { exact: true })).toHaveValue("2031-05-01T14:00");
  await dialog.getByRole("textbox", { name: "Key" }).fill("later");
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  const row = page.getByRole("row", { name: /later/ });
  await expect(row).toContainText("Upcoming");
  await checkAxe(page);

  // The key of a pause that exists is not taken.
  await page.goto(`${orth.url}/console/pauses?new=1`);
  await dialog.getByRole("textbox", { name: "Key" }).fill("later");
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog.getByText(/with this key exists/)).toBeVisible();
  await expect(dialog).toBeVisible();
});
