import { expect, type Orth, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });

async function die(orth: Orth, times: number): Promise<string[]> {
  await orth
    .api("POST", "/jobs", {
      key: "dies",
      group: "samples",
      handler: { kind: "shell", source: "echo last words\nexit 1\n" },
    })
    .catch(() => undefined);
  const ids: string[] = [];
  for (let i = 0; i < times; i++) ids.push((await orth.api<{ id: string }>("POST", "/jobs/dies/trigger", {})).id);
  for (const id of ids) {
    await expect
      .poll(async () => (await orth.api<{ dead_letter?: object }>("GET", `/runs/${id}`)).dead_letter !== undefined, {
        timeout: 30_000,
      })
      .toBe(true);
  }
  return ids;
}

test("dead letters are looked at, redriven and closed, one and many", async ({ signedIn: page, orth }) => {
  const [a, b, c, d] = await die(orth, 5);
  await page.goto(`${orth.url}/console/dead-letters?job=dies`);
  await expect(page.getByRole("link", { name: a, exact: true })).toBeVisible();
  await shootAll(page, "dead-letters");

  await page.getByRole("link", { name: a, exact: true }).click();
  await expect(page).toHaveURL(/\/dead-letters\/\d+/);
  await expect(page.getByText("last words").first()).toBeVisible();
  await shootAll(page, "dead-letter");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.getByLabel("Reason").fill("known");
  await dialog.locator("footer").getByRole("button", { name: "Close", exact: true }).click();
  await expect(page.getByText("known", { exact: true })).toBeVisible();

  await page.goto(`${orth.url}/console/dead-letters/${b}`);
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await dialog.getByRole("button", { name: "Retry dead letter", exact: true }).click();
  await expect(page).toHaveURL(/\/console\/runs\/\d+/);

  await page.goto(`${orth.url}/console/dead-letters?job=dies`);
  await page.getByRole("checkbox", { name: `Select row ${c}` }).check();
  await page.getByRole("button", { name: "Retry 1", exact: true }).click();
  await dialog.getByRole("button", { name: "Retry 1" }).click();
  await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("checkbox", { name: `Select row ${d}` }).check();
  await page.getByRole("button", { name: "Close 1", exact: true }).click();
  await dialog.getByRole("button", { name: "Close 1" }).click();
  await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await page.getByRole("button", { name: "Close all matching" }).click();
  await dialog.getByRole("button", { name: /^Close \d+$/ }).click();
  await expect(dialog.getByText(/Failed: 0\./)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByText("No open dead letters")).toBeVisible();
  await page.goto(`${orth.url}/console/dead-letters?job=dies&status=all`);
  await expect(page.getByText("Retried").first()).toBeVisible();
});
