import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, type Orth, type Page, setLook, test } from "./server";

// The pictures of docs/console.md. `make console-tour` writes them; each test run looks whether they can be taken.

test.describe.configure({ timeout: 300_000 });
test.use({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });

const folder = process.env.ORTH_TOUR
  ? fileURLToPath(new URL("../../../docs/pictures", import.meta.url))
  : "e2e/shots/tour";

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${folder}/${name}.png`, animations: "disabled" });
}

/** Jobs as a house that closes its books each night has them, with some hours of theirs done. */
async function furnish(orth: Orth): Promise<string> {
  const cron = (expression: string, zone = "Europe/Berlin") => ({ kind: "cron", cron: expression, zone });
  const shell = (source: string) => ({ kind: "shell", source });
  const make = (key: string, title: string, schedule: object, handler: object, more: object = {}) =>
    orth.api("POST", "/jobs", { key, title, group: "samples", schedule, handler, enabled: true, ...more });
  await make("fx-rates", "Exchange rates of the day", cron("0 0/20 * * * ?"), shell("echo 31 rates\n"), {
    labels: { team: "treasury" },
  });
  await make("ledger-close", "Close the ledger", cron("0 0 2 ? * MON-FRI"), shell("echo 18204 entries in balance\n"), {
    labels: { team: "books" },
  });
  await make(
    "invoice-mails",
    "Send the invoices",
    cron("0 30 7 1 * ?", "Asia/Shanghai"),
    shell('for i in 1 2 3 4 5; do echo "invoice $i sent"; sleep 0.2; done\n'),
    { labels: { team: "books" } },
  );
  await make(
    "payment-file",
    "Payments to the bank",
    cron("0 15 16 ? * MON-FRI"),
    shell("echo the bank is closed >&2; exit 75\n"),
    {
      labels: { team: "treasury" },
      retry: { tries: 1, initial: "100ms" },
    },
  );
  await make("stock-sync", "Stock of the warehouses", { kind: "every", every: "1m" }, shell("echo in step\n"), {
    labels: { team: "stores" },
  });
  await orth.api("PUT", "/workflows/nightly-close", {
    title: "The nightly close",
    nodes: [
      { name: "rates", job: "fx-rates" },
      { name: "stock", job: "stock-sync" },
      { name: "ledger", job: "ledger-close", after: [{ node: "rates" }, { node: "stock" }] },
      { name: "payments", job: "payment-file", after: [{ node: "ledger" }] },
      { name: "invoices", job: "invoice-mails", after: [{ node: "ledger" }] },
    ],
  });
  for (const key of ["fx-rates", "ledger-close", "payment-file", "stock-sync", "fx-rates", "payment-file", "fx-rates"])
    await orth.api("POST", `/jobs/${key}/trigger`, {});
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/invoice-mails/trigger", {});
  await over(orth, `/runs/${id}`);
  return id;
}

/** Has alarms told of failures, and returns what ends the receiver. */
async function watch(orth: Orth): Promise<() => void> {
  const receiver = createServer((request, answer) => {
    request.resume();
    request.on("end", () => answer.end("thanks"));
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await orth.api("POST", "/alarm/channels", { key: "on-duty", kind: "webhook", secrets: { url } });
  await orth.api("POST", "/alarm/rules", { key: "all-failures", kinds: ["failed"], channels: ["on-duty"] });
  return () => receiver.close();
}

/** Waits until nothing more happens to a run. */
async function over(orth: Orth, path: string): Promise<void> {
  await expect
    .poll(async () => (await orth.api<{ final: boolean }>("GET", path)).final, { timeout: 60_000 })
    .toBe(true);
}

test("the pictures of the tour", async ({ signedIn: page, orth }) => {
  const unwatch = await watch(orth);
  const run = await furnish(orth);
  const open = async (path: string) => {
    await page.goto(`${orth.url}/console${path}`);
    await expect(page.locator("h1").first()).toBeVisible();
  };
  await open("/");
  await expect(page.getByRole("table", { name: "Fires within the hour" })).toBeVisible();
  await picture(page, "dashboard");

  await open("/jobs");
  await expect(page.getByRole("link", { name: "payment-file" })).toBeVisible();
  await picture(page, "jobs");
  await setLook(page, "dark", "zh-CN");
  await expect(page.getByRole("link", { name: "payment-file" })).toBeVisible();
  await picture(page, "jobs-zh");
  await setLook(page, "light", "en");

  await open("/jobs/ledger-close/edit");
  await page
    .getByRole("heading", { name: "When" })
    .first()
    .evaluate((head) => head.scrollIntoView());
  await picture(page, "schedule");

  await open(`/runs/${run}`);
  await expect(page.getByText("invoice 5 sent").first()).toBeVisible();
  await picture(page, "run");

  const { id } = await orth.api<{ id: string }>("POST", "/workflows/nightly-close/runs", {});
  await open(`/workflow-runs/${id}`);
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible({ timeout: 60_000 });
  await picture(page, "workflow");

  await open("/groups/default/samples");
  await expect(page.getByRole("table", { name: "Executors" })).toBeVisible();
  await picture(page, "executors");

  await open("/timeline");
  await page.getByRole("radio", { name: "Jobs" }).click();
  await expect(page.getByRole("link", { name: "ledger-close" }).first()).toBeVisible();
  await picture(page, "timeline");

  await open("/alarms");
  await expect(page.getByText("payment-file").first()).toBeVisible();
  await picture(page, "alarms");
  unwatch();
});
