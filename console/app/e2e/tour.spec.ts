import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Teller } from "./native";
import { expect, type Orth, type Page, password, setLook, signIn, startServer, test } from "./server";
import { facts } from "./threads";

// The pictures of docs/console.md. `make console-tour` writes them; each test run looks whether they can be taken.

test.describe.configure({ timeout: 300_000 });
test.use({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });

const folder = process.env.ORTH_TOUR
  ? fileURLToPath(new URL("../../../docs/pictures", import.meta.url))
  : "e2e/shots/tour";

/** Keeps a picture as WebP, a third of what PNG takes; Playwright itself writes none. */
async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.mouse.move(0, 0);
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))));
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  await browser.detach();
  writeFileSync(`${folder}/${name}.webp`, Buffer.from(data, "base64"));
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
  for (const [day, source] of [
    ["01", 'echo "entries of $1"\nexit 0\n'],
    [
      "02",
      '# The day to close; without one it is today.\ntest -n "$1" || set -- "$(date +%F)"\n\necho "closing $1"\necho "18204 entries in balance"\n',
    ],
  ])
    await orth.api("PATCH", `/jobs/ledger-close?note=as+of+May+${day}`, { handler: shell(source ?? "") });
  for (const key of ["ledger-close-asia", "ledger-close-us"])
    await orth.api("POST", "/jobs", { key, group: "samples", template: "ledger-close" });
  await orth.api("POST", "/users", {
    name: "olga",
    title: "Olga Petrova",
    password,
    grants: [{ role: "owner", namespace: "default", group: "*" }],
  });
  await orth.api("POST", "/users", {
    name: "wei",
    title: "陈伟",
    password,
    grants: [{ role: "operator", namespace: "default", group: "samples" }],
  });
  await orth.api("POST", "/users", {
    name: "deploy",
    kind: "service",
    grants: [{ role: "editor", namespace: "*", group: "*" }],
  });
  await orth.api("PUT", "/pauses/year-end", {
    groups: ["samples"],
    window: { cron: "0 0 22 31 12 ?", zone: "Europe/Berlin", for: "4h" },
    reason: "the books are closed",
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
  await orth.api("POST", "/alarm/rules", {
    key: "late-close",
    severity: "critical",
    kinds: ["not_started", "slow"],
    within: "5m",
    longer: "30m",
    channels: ["on-duty"],
    recovered: true,
    scope: { labels: { team: "books" } },
    escalation: [{ after: "30m", channels: ["on-duty"] }],
  });
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
  await open("/?range=today");
  await expect(page.getByRole("table", { name: "Firing within the hour" })).toBeVisible();
  await picture(page, "dashboard");
  await page.setViewportSize({ width: 390, height: 780 });
  await picture(page, "phone");
  await page.setViewportSize({ width: 1280, height: 800 });

  await open("/jobs");
  await expect(page.getByRole("link", { name: "payment-file" })).toBeVisible();
  await page.getByRole("button", { name: "Columns" }).click();
  await picture(page, "jobs");
  await page.keyboard.press("Escape");
  await setLook(page, "dark", "zh-CN");
  await expect(page.getByRole("link", { name: "payment-file" })).toBeVisible();
  await picture(page, "jobs-zh");
  await setLook(page, "light", "en");

  await open("/jobs/ledger-close/edit");
  await page
    .getByRole("heading", { name: "Schedule", exact: true })
    .first()
    .evaluate((head) => head.scrollIntoView());
  await picture(page, "schedule");
  await open("/jobs/ledger-close/code");
  await expect(page.getByText("as of May 01")).toBeVisible();
  await picture(page, "code");
  await open("/templates");
  await expect(page.getByRole("link", { name: "ledger-close-us" })).toBeVisible();
  await picture(page, "templates");

  await open(`/runs/${run}`);
  await expect(page.getByText("invoice 5 sent").first()).toBeVisible();
  await picture(page, "run");
  await open("/dead-letters");
  await expect(page.getByRole("link", { name: "payment-file" }).first()).toBeVisible();
  await picture(page, "dead-letters");

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
  await open("/calendars/default/cn-holidays");
  await expect(page.getByText(/^Year/)).toBeVisible();
  await picture(page, "calendar");
  await open("/pauses");
  await expect(page.getByRole("row", { name: /year-end/ })).toBeVisible();
  await picture(page, "pauses");

  await open("/alarms");
  await expect(page.getByText("payment-file").first()).toBeVisible();
  await picture(page, "alarms");
  await open("/alarms/rules");
  await expect(page.getByRole("link", { name: "late-close" })).toBeVisible();
  await picture(page, "rules");
  unwatch();

  await open("/import");
  await page.getByRole("radio", { name: /Crontab/ }).check();
  await page
    .getByLabel("File content")
    .fill("30 2 * * * /usr/local/bin/backup --full\n*/5 * * * * /usr/bin/probe\n@reboot /usr/bin/warm-up\n");
  await page.getByRole("combobox", { name: "Executor group for the jobs" }).fill("samples");
  await page.getByLabel("Key prefix").fill("host1-");
  await page.getByRole("button", { name: "Preview import" }).click();
  const found = page.getByRole("heading", { name: "Preview" });
  await expect(found).toBeVisible();
  await found.evaluate((head) => head.scrollIntoView());
  await picture(page, "import");

  await open("/users");
  await expect(page.getByRole("link", { name: "olga" })).toBeVisible();
  await picture(page, "users");
  await open("/audit");
  await expect(page.getByText("create-user").first()).toBeVisible();
  await picture(page, "audit");
  await open("/settings?tab=servers");
  await expect(page.getByText("Ready", { exact: true })).toBeVisible();
  await picture(page, "servers");

  const keeper = await Teller.start(orth, orth.own, "chain", 1);
  await keeper.tell("solana", facts());
  await open("/solana");
  await expect(page.getByRole("columnheader", { name: "Next due" })).toBeVisible();
  await picture(page, "solana");
  keeper.stop();
});

test("the picture of the first start", async ({ page }) => {
  const orth = await startServer("server");
  await signIn(page, orth);
  await page.goto(`${orth.url}/console/`);
  await expect(page.getByRole("heading", { name: "Welcome to Orth" })).toBeVisible();
  await picture(page, "welcome");
  await orth.stop();
});
