import { checkAxe, expect, type Orth, shootAll, test } from "./server";

test.describe.configure({ timeout: 480_000 });

const value = "sk_live_2f9a7c31";

async function jobWithSecret(orth: Orth): Promise<void> {
  await orth.api("POST", "/jobs", {
    key: "pays",
    group: "samples",
    handler: { kind: "named", name: "sample" },
    schedule: { kind: "manual" },
    param: JSON.stringify({ key: "$" + "{secret:billing-api}" }),
  });
}

test("a secret is kept, used, replaced, limited and deleted; its value is nowhere", async ({
  signedIn: page,
  orth,
}) => {
  const before = await orth.api<{ secrets: { key: string }[] }>("GET", "/secrets"); // other tests may have left some
  for (const { key } of before.secrets) await orth.api("DELETE", `/secrets/${key}`);
  await page.goto(`${orth.url}/console/secrets`);
  await expect(page.getByText("No secrets yet")).toBeVisible();
  await shootAll(page, "secrets-empty");

  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "New secret" }).first().click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText("2 fields need attention")).toBeVisible();
  await dialog.getByLabel("Key").fill("Billing API");
  await dialog.getByLabel("Value").fill("short");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await dialog.getByLabel("Key").fill("billing-api");
  await dialog.getByLabel("Description").fill("Key for the billing API");
  await dialog.getByLabel("Value").fill("short");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText(/at least 8 bytes/)).toBeVisible();
  await dialog.getByRole("checkbox", { name: "Show my input" }).check();
  await checkAxe(page);
  await dialog.getByLabel("Value").fill(value);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/console\/secrets\/billing-api/);
  await expect(page.getByText("No job refers to it")).toBeVisible();

  await jobWithSecret(orth);
  await page.reload();
  const jobs = page.getByRole("table", { name: "Used by" });
  await expect(jobs.getByRole("link", { name: "pays" })).toBeVisible();
  await expect(jobs.getByText("parameter")).toBeVisible();
  await shootAll(page, "secret");
  expect(await page.content()).not.toContain(value);

  await page.getByRole("button", { name: "Set new value" }).click();
  await dialog.getByRole("button", { name: "Set new value" }).click();
  await expect(dialog.getByText("1 field needs attention")).toBeVisible();
  await checkAxe(page);
  await dialog.getByLabel("New value").fill("sk_live_another_one");
  await dialog.getByRole("button", { name: "Set new value" }).click();
  await expect(page.getByText("New value set").first()).toBeVisible();

  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Description").fill("Billing");
  await dialog.getByRole("combobox", { name: "Groups" }).fill("elsewhere");
  await dialog.getByRole("combobox", { name: "Groups" }).press("Enter");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert").first()).toContainText("pays");
  await dialog.getByRole("checkbox", { name: /Restrict anyway/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("elsewhere")).toBeVisible();

  await page.goto(`${orth.url}/console/secrets`);
  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByText("No matching secrets")).toBeVisible();
  await page.getByRole("searchbox").fill("billing");
  await expect(page.getByRole("link", { name: "billing-api" })).toBeVisible();
  await shootAll(page, "secrets");
  await page.getByRole("link", { name: "billing-api" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(dialog.getByText("pays")).toBeVisible();
  await dialog.getByLabel(/Type billing-api/).fill("billing-api");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(dialog.getByRole("alert")).toContainText("pays");
  await checkAxe(page);
  await dialog.getByRole("checkbox", { name: "Delete even though jobs refer to it" }).check();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/console\/secrets$/);
  await expect(page.getByText("No secrets yet")).toBeVisible();
});

test("who changes a secret that somebody else has changed is told so", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/secrets", { key: "raced", value });
  await page.goto(`${orth.url}/console/secrets/raced`);
  await page.getByRole("button", { name: "Edit" }).click();
  await orth.api("PATCH", "/secrets/raced", { title: "of somebody else" });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Description").fill("mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText(/Someone else changed this/)).toBeVisible();
  await dialog.getByRole("button", { name: "Load their changes and keep my input" }).click();
  await expect(dialog.getByText(/You both changed:/)).toBeVisible();
  await expect(dialog.getByLabel("Description")).toHaveValue("mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("mine")).toBeVisible();
});
