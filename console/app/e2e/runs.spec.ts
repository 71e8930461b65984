import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAxe, expect, type Orth, setLook, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });
test.use({ actionTimeout: 15_000 });

type Made = { id: string };

const shell = (source: string) => ({ kind: "shell", source });

/** The jobs of these tests. A server has them once. */
async function seed(orth: Orth): Promise<void> {
  const job = (body: object) => orth.api("POST", "/jobs", { group: "samples", ...body }).catch(() => undefined);
  await job({
    key: "long-log",
    handler: shell(
      'for i in $(seq 1 3000); do echo "2026-03-08 02:30:00 line $i of the log"; done\nprintf "\\033[31mred\\033[0m\\npassword=hunter2hunter2\\n"\n',
    ),
  });
  await job({ key: "slow", handler: shell('for i in $(seq 1 600); do echo "step $i"; sleep 0.2; done\n') });
  await job({
    key: "split",
    route: "broadcast",
    shards: 4,
    handler: shell('[ "$ORTH_SHARD_INDEX" = 2 ] && exit 1\nexit 0\n'),
  });
  await job({ key: "bad", handler: shell("echo no\nexit 3\n") });
  await job({ key: "family", handler: shell("echo parent\n"), children: [{ key: "sample-manual" }] });
}

test.beforeEach(({ orth }) => seed(orth));

async function over(orth: Orth, id: string): Promise<void> {
  await expect
    .poll(async () => (await orth.api<{ final: boolean }>("GET", `/runs/${id}`)).final, { timeout: 30_000 })
    .toBe(true);
}

test("the list is live, filtered by the address and looked at in all ways", async ({ signedIn: page, orth }) => {
  const bad = await orth.api<Made>("POST", "/jobs/bad/trigger", { param: "" });
  await over(orth, bad.id);
  await page.goto(`${orth.url}/console/runs`);
  const table = page.getByRole("table", { name: "Runs" });
  await expect(table.getByRole("link", { name: bad.id, exact: true })).toBeVisible();
  const made = await orth.api<Made>("POST", "/jobs/sample-manual/trigger", {});
  await expect(table.getByRole("link", { name: made.id, exact: true })).toBeVisible();
  await page.getByRole("button", { name: "State", exact: true }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/state=failed/);
  await expect(table.getByRole("row")).not.toHaveCount(1);
  await page.goto(`${orth.url}/console/runs?job=bad&time=today&clock=ended&cause=manual&min_tries=1`);
  await expect(table.getByRole("link", { name: bad.id, exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /Time Today/ })).toBeVisible();
  await page.goto(`${orth.url}/console/runs?text=nothing-has-this`);
  await expect(page.getByText("No matching runs")).toBeVisible();
  await page.goto(`${orth.url}/console/runs`);
  await page.getByRole("columnheader", { name: "Duration" }).getByRole("button").click();
  await expect(page).toHaveURL(/sort=duration/);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  expect((await download).suggestedFilename()).toMatch(/^runs-.*\.csv$/);
  await page.goto(`${orth.url}/console/runs`);
  await shootAll(page, "runs");
});

test("new runs are counted, not shown, while rows are selected", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/runs?job=sample-manual`);
  const first = await orth.api<Made>("POST", "/jobs/sample-manual/trigger", {});
  await expect(page.getByRole("link", { name: first.id, exact: true })).toBeVisible();
  await page.getByRole("checkbox", { name: `Select row ${first.id}` }).check();
  const second = await orth.api<Made>("POST", "/jobs/sample-manual/trigger", {});
  await page.getByRole("button", { name: /1 new run/ }).click();
  await expect(page.getByRole("link", { name: second.id, exact: true })).toBeVisible();
});

test("many runs are cancelled, run again and redriven, and old ones removed", async ({ signedIn: page, orth }) => {
  const slow = await orth.api<Made>("POST", "/jobs/slow/trigger", {});
  await page.goto(`${orth.url}/console/runs?job=slow`);
  await page.getByRole("checkbox", { name: `Select row ${slow.id}` }).check();
  await page.getByRole("button", { name: "Cancel 1 run", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 run affected")).toBeVisible();
  await dialog.getByLabel("Reason").fill("not needed");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Cancel 1 run" }).click();
  await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await over(orth, slow.id);

  const bad = await orth.api<Made>("POST", "/jobs/bad/trigger", {});
  await over(orth, bad.id);
  await page.goto(`${orth.url}/console/runs?job=bad`);

  // The list behind the dialog is live. What would be touched is asked once all the same: asked
  // again, the button is grey for a moment, and a click in that moment does nothing.
  let previews = 0;
  page.on("request", (request) => {
    if (request.postData()?.includes('"dry_run":true')) previews++;
  });
  await page.getByRole("checkbox", { name: `Select row ${bad.id}` }).check();
  await page.getByRole("button", { name: "Rerun 1", exact: true }).click();
  await expect(dialog.getByText("1 run affected")).toBeVisible();
  const other = await orth.api<Made>("POST", "/jobs/bad/trigger", {});
  await over(orth, other.id);
  await expect(page.getByText(/1 new run/)).toBeAttached();
  expect(previews).toBe(1);
  await dialog.getByRole("button", { name: "Back" }).click();
  await page.reload();

  for (const button of ["Rerun 1", "Retry 1 dead letter"]) {
    await page.getByRole("checkbox", { name: `Select row ${bad.id}` }).check();
    await page.getByRole("button", { name: button, exact: true }).click();
    await dialog.getByRole("button", { name: button }).click();
    await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).last().click();
  }

  // The job that stops itself has runs since the server began.
  await page.goto(`${orth.url}/console/runs?job=sample-stop`);
  await page.getByRole("button", { name: "Clean up" }).click();
  await dialog.getByLabel("Runs to delete").click();
  await page.getByRole("option", { name: "Everything" }).click();
  await expect(dialog.getByText(/Deletes at most \d+ runs/)).toBeVisible();
  await dialog.getByRole("button", { name: "Back" }).click();
});

test("a run's page tells all of it, and acts", async ({ signedIn: page, orth }) => {
  const family = await orth.api<Made>("POST", "/jobs/family/trigger", { param: '{"a":[1,2]}' });
  await over(orth, family.id);
  await page.goto(`${orth.url}/console/runs/${family.id}`);
  await expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible();
  await expect(page.getByText('"a": [')).toBeVisible();
  await expect(page.getByRole("table", { name: "Attempts" }).getByText("Succeeded")).toBeVisible();
  await expect(page.getByText("sample-manual").first()).toBeVisible();
  await shootAll(page, "run");
  await page.getByRole("button", { name: "Rerun" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Different parameter").click();
  await dialog.getByRole("textbox", { name: "Parameter" }).fill("");
  await dialog.getByRole("button", { name: "Rerun" }).click();
  await expect(page).not.toHaveURL(new RegExp(`/runs/${family.id}$`));
  await expect(page.getByText("Empty", { exact: true })).toBeVisible();

  const split = await orth.api<Made>("POST", "/jobs/split/trigger", {});
  await over(orth, split.id);
  await page.goto(`${orth.url}/console/runs/${split.id}`);
  await expect(page.getByText(/1 failed, of 4/)).toBeVisible();
  await setLook(page, "system", "zh-CN");
  await expect(page.getByText(/^4 个分片中有 1 个失败；可重新运行失败的分片/).first()).toBeVisible();
  await setLook(page, "system", "en");
  await shootAll(page, "run-shards");
  await page.getByRole("button", { name: "Rerun failed shards" }).click();
  await expect(page).not.toHaveURL(new RegExp(`/runs/${split.id}$`));

  const slow = await orth.api<Made>("POST", "/jobs/slow/trigger", {});
  await page.goto(`${orth.url}/console/runs/${slow.id}`);
  await expect(page.getByRole("region", { name: "Log", exact: true }).getByText("Live")).toBeVisible();
  await page.getByRole("button", { name: "Cancel run" }).click();
  await dialog.getByRole("button", { name: "Cancel run" }).click();
  await expect(page.locator("h1 + *").getByText(/Cancelled|Stopping/)).toBeVisible();
});

test("a log is followed, searched, linked to and downloaded", async ({ signedIn: page, orth }) => {
  const long = await orth.api<Made>("POST", "/jobs/long-log/trigger", {});
  await over(orth, long.id);
  await page.goto(`${orth.url}/console/runs/${long.id}/log`);
  const lines = page.getByRole("region", { name: "Log lines" });
  await expect(lines.getByText("red", { exact: true })).toBeVisible();
  await expect(lines.getByText("hunter2")).toHaveCount(0);
  await shootAll(page, "run-log");
  // On a page that is all log its keys work wherever the focus is, before those of all pages.
  await page.keyboard.press("/");
  await expect(page.getByLabel("Search the log")).toBeFocused();
  await page.getByLabel("Search the log").fill("line 777 ");
  await expect(page.getByText("1 of 1", { exact: true })).toBeVisible();
  await expect(lines.locator("mark")).toHaveText("line 777 ");
  await page.getByRole("button", { name: "Regular expression" }).click();
  await page.getByLabel("Search the log").fill("line 12[0-9]{2} ");
  await expect(page.getByText("1 of 100", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Next match" }).click();
  await expect(page.getByText("2 of 100", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Previous match" }).click();
  await page.getByRole("button", { name: "Go to line or time" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("42");
  await page.getByRole("dialog").getByRole("button", { name: "Go", exact: true }).click();
  await expect(page).toHaveURL(/#L42$/);
  await lines.getByRole("link", { name: "Line 45", exact: true }).click({ modifiers: ["Shift"] });
  await expect(page).toHaveURL(/#L42-L45$/);
  await page.reload();
  await expect(lines.getByRole("link", { name: "Line 42", exact: true })).toBeVisible();
  await lines.focus();
  await page.keyboard.press("w");
  await expect(page.getByRole("button", { name: "Wrap long lines" })).toHaveAttribute("aria-pressed", "true");
  await expect(lines.locator("[data-line]").first()).toBeVisible();
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "Show timestamps" }).click();
  await expect(lines.getByText("2026-03-08 02:30:00").first()).toHaveCount(0);
  await page.getByRole("button", { name: "Full screen" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Download" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "This attempt", exact: true }).click();
  expect((await download).suggestedFilename()).toMatch(/\.(log|txt)$/);

  const slow = await orth.api<Made>("POST", "/jobs/slow/trigger", {});
  await page.goto(`${orth.url}/console/runs/${slow.id}/log`);
  await expect(lines.getByText("step 5", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Stop following" }).click();
  await page.getByRole("button", { name: /^\d+ new lines/ }).click();
  await orth.api("POST", `/runs/${slow.id}/cancel`, {});
  await expect(page.getByText("Complete")).toBeVisible({ timeout: 20_000 });
});

test("who is about to cancel a run that ends meanwhile is told so", async ({ signedIn: page, orth }) => {
  const gate = join(mkdtempSync(join(tmpdir(), "orth-e2e-gate-")), "open");
  await orth.api("POST", "/jobs", {
    key: "ends-meanwhile",
    group: "samples",
    handler: { kind: "shell", source: `until [ -e ${gate} ]; do sleep 0.2; done\n` },
  });
  const run = await orth.api<Made>("POST", "/jobs/ends-meanwhile/trigger", {});
  await page.goto(`${orth.url}/console/runs/${run.id}`);
  await page.getByRole("button", { name: "Cancel run" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Back", exact: true })).toBeVisible();
  writeFileSync(gate, "");
  await expect(dialog.getByText("The run has already ended: Succeeded.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Cancel run" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("button", { name: "Rerun" })).toBeVisible();
});
