import { Teller } from "./native";
import { expect, shoot, shootAll, test } from "./server";
import { facts, sample } from "./threads";

test.describe.configure({ timeout: 300_000 });

test("executors of threads tell what is due, what it brings, and what needs somebody", async ({
  signedIn: page,
  orth,
}) => {
  const link = page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Solana" });
  await page.goto(`${orth.url}/console/solana`);
  await expect(page.getByText("No Solana executors")).toBeVisible();
  await expect(link).toHaveCount(0);
  await shootAll(page, "solana-none");

  for (const [key, name] of [
    ["solana-execute", "solana.execute"],
    ["solana-redrive", "solana.redrive"],
  ]) {
    await orth.api("POST", "/jobs", { key, group: "chain", handler: { kind: "named", name } });
  }
  const one = await Teller.start(orth, orth.own, "chain", 1);
  await one.tell("solana", facts());
  await page.goto(`${orth.url}/console/`);
  await expect(link).toBeVisible({ timeout: 40_000 });
  await link.click();
  await expect(page.getByRole("columnheader", { name: "Next due" })).toBeVisible();
  await expect(page.getByText("1.234567890")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "Every 30 s" })).toContainText("Executed");
  await shootAll(page, "solana-threads");

  await page.getByRole("button", { name: "Net, SOL" }).click();
  await expect(page).toHaveURL(/sort=-net/);
  await page.getByRole("searchbox").fill("cron");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByText("No matching threads")).toBeVisible();
  await page.getByRole("searchbox").fill("");
  await expect(page.getByRole("row")).toHaveCount(8);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Owner" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("columnheader", { name: "Owner" })).toBeVisible();
  await page.goto(`${orth.url}/console/solana`);
  const runs = page.getByRole("link", { name: /^Runs of/ }).first();
  await expect(runs).toHaveAttribute("href", /job=solana-execute/);

  await page.getByRole("tab", { name: /Profit and loss/ }).click();
  await expect(page.getByRole("heading", { name: "Per thread" })).toBeVisible();
  await expect(page.getByText("+0.000005800").first()).toBeVisible();
  await shootAll(page, "solana-profit");
  await page.getByRole("tab", { name: /Nodes/ }).click();
  await expect(page.getByText("b.example")).toBeVisible();
  await shootAll(page, "solana-nodes");
  await page.getByRole("tab", { name: /Details/ }).click();
  await expect(page.getByText("15 became runs, 0 waiting, 0 dropped")).toBeVisible();
  await shootAll(page, "solana-about");

  await page.getByRole("tab", { name: /Dead letters/ }).click();
  await shootAll(page, "solana-dead");
  await page.getByRole("checkbox", { name: "Select row 1002" }).check();
  await page.getByRole("button", { name: "Retry 1", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("orth-solana queue redrive 1002")).toBeVisible();
  await shoot(page, "solana-redrive");
  await dialog.getByRole("button", { name: "Retry 1", exact: true }).click();
  await expect(page.getByText(/^Retrying: run \d+/)).toBeVisible();
  const made = await orth.api<{ runs: { param?: string; addresses?: string[] }[] }>("GET", "/runs?job=solana-redrive");
  expect(made.runs).toMatchObject([{ param: '{"ids":["1002"]}', addresses: [one.address] }]);

  // Another one comes, and the first is in trouble: the page hears of both by itself.
  const two = await Teller.start(orth, orth.own, "chain", 2);
  await two.tell(
    "solana",
    facts({
      executor: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
      balance: 12_000_000,
      threads: [],
      threads_total: 0,
      dead: [],
    }),
  );
  await one.tell("solana", facts({ trouble: { ...sample.trouble, since: Date.now() - 60_000 } }));
  await expect(page.getByRole("alert").getByText("Sending is stopped")).toBeVisible({ timeout: 20_000 });
  const executors = page.getByRole("table", { name: "Executors" });
  await expect(executors.getByRole("row")).toHaveCount(3);
  await shootAll(page, "solana-two");
  await executors.getByRole("button", { name: "9xQe…VFin" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByRole("tab", { name: /Threads/ }).click();
  await expect(page.getByText("No threads")).toBeVisible();

  await two.tell("solana", { version: 2 });
  await expect(page.getByText("Unreadable data from this executor")).toBeVisible({ timeout: 20_000 });
  one.stop();
  two.stop();
});
