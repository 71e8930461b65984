import { checkAxe, expect, type Orth, shoot, shootAll, test, watchErrors } from "./server";

type Page = Parameters<typeof shoot>[0];
type Named = { key: string; version: number };

/** A script that tells its parameter, on the executor that the server brings along. */
const script = (key: string, more: object = {}) => ({
  key,
  group: "samples",
  schedule: { kind: "manual" },
  handler: { kind: "shell", source: 'echo "got $1"\n' },
  ...more,
});

test.beforeEach(() => test.setTimeout(240_000));

async function open(page: Page, orth: Orth, path: string) {
  await page.goto(`${orth.url}/console${path}`);
  await expect(page.locator("h1").first()).toBeVisible();
}

const menuOf = (page: Page, key: string) => page.getByRole("button", { name: `Actions for ${key}` });

test("the list: filters, columns, views, sorting, looks", async ({ signedIn: page, orth }) => {
  const errors = watchErrors(page);
  await open(page, orth, "/jobs");
  const table = page.getByRole("table", { name: "Jobs" });
  await expect(table.getByRole("link", { name: "sample-shell" })).toBeVisible();
  await shootAll(page, "jobs");

  await page.getByLabel("Key or title").fill("retry");
  await expect(table.getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(/text=retry/);
  await page.getByLabel("Key or title").fill("");

  await page.getByRole("button", { name: "Status" }).click();
  await page.getByRole("option", { name: "Disabled", exact: true }).click();
  await expect(page).toHaveURL(/status=stopped/);
  await expect(table.getByRole("link", { name: "sample-manual" })).toBeVisible();
  await expect(table.getByRole("link", { name: "sample-shell" })).toHaveCount(0);

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save view" }).click();
  await page.getByLabel("View name").fill("Asleep");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Asleep" }).click();
  await page.getByRole("menuitem", { name: "All jobs" }).click();
  await expect(page).not.toHaveURL(/status=/);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Asleep" }).click();
  await expect(page).toHaveURL(/status=stopped/);
  await page.getByRole("button", { name: "Clear Status" }).click();

  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Handler" }).click();
  await page.keyboard.press("Escape");
  await expect(table.getByRole("columnheader", { name: "Handler" })).toBeVisible();
  await expect(page).toHaveURL(/columns=/);

  await table.getByRole("button", { name: "Next firing" }).click();
  await expect(page).toHaveURL(/sort=next_at/);
  await expect(table.getByRole("columnheader", { name: "Next firing" })).toHaveAttribute("aria-sort", "ascending");
  expect(errors).toEqual([]);
});

test("one job: run, stop, start, explain, copy, delete", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs", script("hello", { param: '{"day":"2026-01-01","dry":true}' }));
  await open(page, orth, "/jobs?text=hello");

  await page.getByRole("button", { name: "Trigger hello" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("switch", { name: "Use the job's parameter" }).click();
  await dialog.getByLabel("day").fill("2026-05-05");
  await shoot(page, "jobs-run");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(page.getByText("of hello created").first()).toBeVisible();
  await expect
    .poll(async () => (await orth.api<{ runs: { param?: string }[] }>("GET", "/runs?job=hello")).runs[0]?.param)
    .toBe('{"day":"2026-05-05","dry":true}');

  await page.getByRole("button", { name: "Trigger hello" }).click();
  await dialog.getByRole("switch").click();
  await dialog.getByRole("radio", { name: "Text" }).click();
  await dialog.getByLabel("Parameter", { exact: true }).last().fill("");
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect
    .poll(async () => (await orth.api<{ runs: { param?: string }[] }>("GET", "/runs?job=hello")).runs[0]?.param)
    .toBe("");

  await open(page, orth, "/jobs?text=sample-shell");
  await menuOf(page, "sample-shell").click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await expect(page.getByText("sample-shell disabled").first()).toBeVisible();
  await menuOf(page, "sample-shell").click();
  await page.getByRole("menuitem", { name: "Enable" }).click();
  await expect(page.getByText("sample-shell enabled").first()).toBeVisible();

  await menuOf(page, "sample-shell").click();
  await page.getByRole("menuitem", { name: "Explain" }).click();
  await expect(dialog.getByText("it is started")).toBeVisible();
  await dialog.getByLabel("Time", { exact: true }).fill("nonsense");
  await dialog.getByRole("button", { name: "Explain" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  await open(page, orth, "/jobs?text=hello");
  await menuOf(page, "hello").click();
  await page.getByRole("menuitem", { name: "Create instance" }).click();
  await dialog.getByLabel("Key").fill("hello-eu");
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog.getByText("1 can be created")).toBeVisible();
  await dialog.getByRole("button", { name: "Create copies" }).click();
  await expect(dialog.getByText("1 created")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  expect((await orth.api<{ template: string }>("GET", "/jobs/hello-eu")).template).toBe("hello");

  await menuOf(page, "hello-eu").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog.getByText("No running or waiting runs.")).toBeVisible();
  await shoot(page, "jobs-delete");
  await dialog.getByLabel("Type hello-eu to confirm").fill("hello-eu");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("hello-eu deleted").first()).toBeVisible();
});

test("many jobs: labels, start, stop, export, import, delete", async ({ signedIn: page, orth }) => {
  for (const key of ["bulk-a", "bulk-b", "bulk-c"]) {
    await orth.api("POST", "/jobs", script(key, { schedule: { kind: "every", every: "1h" } }));
  }
  await open(page, orth, "/jobs?text=bulk");
  const dialog = page.getByRole("dialog");
  const bar = page.getByRole("toolbar");
  await page.getByRole("checkbox", { name: "Select row bulk-a" }).click();
  await page.getByRole("checkbox", { name: "Select row bulk-b" }).click();
  await bar.getByRole("button", { name: "Set labels" }).click();
  await dialog.getByLabel("Label", { exact: true }).fill("owner");
  await dialog.getByLabel("Value").fill("ops");
  await dialog.getByRole("button", { name: "Set labels of 2 jobs" }).click();
  await expect(dialog.getByText("2 done, 0 failed")).toBeVisible();
  await shoot(page, "jobs-bulk");
  await page.keyboard.press("Escape");
  expect((await orth.api<{ labels: object }>("GET", "/jobs/bulk-a")).labels).toEqual({ owner: "ops" });

  for (const [deed, enabled] of [
    ["Enable", true],
    ["Disable", false],
  ] as const) {
    await bar.getByRole("button", { name: deed }).click();
    await dialog.getByRole("button", { name: `${deed} 2 jobs` }).click();
    await expect(dialog.getByText("2 done, 0 failed")).toBeVisible();
    await page.keyboard.press("Escape");
    expect((await orth.api<{ enabled: boolean }>("GET", "/jobs/bulk-b")).enabled).toBe(enabled);
  }

  const saved = page.waitForEvent("download");
  await bar.getByRole("button", { name: "Export" }).click();
  const file = await (await saved).path();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog.getByText("bulk-a, bulk-b, bulk-c")).toBeVisible();
  await dialog.getByLabel("Type 3 to confirm").fill("3");
  await dialog.getByRole("button", { name: "Delete 3 jobs" }).click();
  await expect(dialog.getByText("3 done, 0 failed")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Import" }).click();
  await dialog.getByLabel("File").last().setInputFiles(file);
  await dialog.getByRole("button", { name: "Check" }).click();
  await expect(dialog.getByText("2 can be imported")).toBeVisible();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByText("2 imported")).toBeVisible();
  await checkAxe(page);
});

test("a backfill: preview, progress", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs", script("filled", { schedule: { kind: "cron", cron: "0 0 * * * ?" } }));
  await open(page, orth, "/jobs/filled");
  await menuOf(page, "filled").click();
  await page.getByRole("menuitem", { name: "Backfill" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Slot limit").fill("3");
  await dialog.getByLabel("Parallel runs").fill("3");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog.getByText(/^3 slots, from/)).toBeVisible();
  await shoot(page, "jobs-backfill");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Start backfill" }).click();
  await expect(dialog.getByText("3 of 3 done")).toBeVisible({ timeout: 30_000 });
  await expect(dialog.getByText("Finished")).toBeVisible();
});

test("the form: a new job, what is wrong with it, leaving it", async ({ signedIn: page, orth }) => {
  // Tall enough for all of the form, so that its foot covers nothing.
  await page.setViewportSize({ width: 1360, height: 4200 });
  await open(page, orth, "/jobs/new");
  await shootAll(page, "jobs-new");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByText("3 fields need attention")).toBeVisible();

  await page.getByLabel("Key *").fill("nightly");
  await page.getByLabel("Executor group").fill("samples");
  await page.keyboard.press("Tab");
  await page.getByLabel("Handler name").fill("hello");
  await page.keyboard.press("Tab");
  await page.getByLabel("Cron expression").fill("0 0 25 * * ?");
  await expect(page.getByLabel("Next firings").getByText("No preview:")).toBeVisible();
  await page.getByRole("combobox", { name: "Presets" }).click();
  await page.getByRole("option", { name: "Weekdays at 09:00" }).click();
  await expect(page.getByLabel("Next firings").getByRole("status")).toContainText("At 09:00");
  await page.getByRole("combobox", { name: "Minute: mode" }).click();
  await page.getByRole("option", { name: "in steps" }).click();
  await expect(page.getByLabel("Cron expression")).toHaveValue("0 */5 9 ? * MON-FRI");
  await page.getByLabel("Description").fill("For the desk.\nIf it fails, see https://wiki.example.com/nightly.");
  await page.getByText("Exponential backoff").click();
  await page.getByLabel("Retries *").fill("5");
  await page.getByLabel("First delay").fill("10s");
  await expect(page.getByText(/5 retries, the last after/).first()).toBeVisible();
  await expect(page.getByText("Valid: ready to save")).toBeVisible();
  await shoot(page, "jobs-form", true);
  await checkAxe(page);

  await page.getByRole("link", { name: "Dashboard" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Leave without saving?")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByLabel("Note").fill("first try");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "nightly" })).toBeVisible();
  const advice = page.getByRole("link", { name: "https://wiki.example.com/nightly" });
  await expect(advice).toHaveAttribute("href", "https://wiki.example.com/nightly");
  await shoot(page, "jobs-described");
  const made = await orth.api<{ schedule: { cron: string }; retry: { tries: number } }>("GET", "/jobs/nightly");
  expect(made.schedule.cron).toBe("0 */5 9 ? * MON-FRI");
  expect(made.retry.tries).toBe(5);
});

test("the form: a change that meets another", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs", script("shared"));
  await open(page, orth, "/jobs/shared/edit");
  await page.getByLabel("Title").fill("mine");
  await orth.api("PATCH", "/jobs/shared", { title: "theirs", timeout: "5m" });
  await page.getByRole("button", { name: "Save changes" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Someone else saved this job")).toBeVisible();
  await expect(dialog.getByRole("cell", { name: "theirs" })).toBeVisible();
  await shoot(page, "jobs-conflict");
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(page).not.toHaveURL(/\/edit/); // the form leaves when the server has answered
  const saved = await orth.api<{ title: string; timeout: string }>("GET", "/jobs/shared");
  expect([saved.title, saved.timeout]).toEqual(["mine", "5m0s"]);
});

test("the page of a job: each tab, history with diff and restore", async ({ signedIn: page, orth }) => {
  const made = await orth.api<Named>("POST", "/jobs", script("told", { title: "first" }));
  await orth.api("PATCH", "/jobs/told", { title: "second", timeout: "10s" });
  await orth.api("POST", "/jobs/told/trigger", {});
  await open(page, orth, "/jobs/told");
  await expect(page.getByText("Recent runs")).toBeVisible();
  await shootAll(page, "job");
  for (const [tab, seen] of [
    ["Runs", "All runs, with filters"],
    ["Firings", "Past firings"],
    ["Explain", "its schedule"],
    ["Alarms", "No alarms"],
    ["History", "Code changes only"],
  ] as const) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByText(seen, { exact: false }).first()).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await shoot(page, `job-${tab.toLowerCase()}`);
    await checkAxe(page);
  }
  await page
    .getByRole("button", { name: /View changes/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("cell", { name: "second" })).toBeVisible();
  await shoot(page, "job-diff");
  await checkAxe(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: `Restore: ${made.version}` }).click();
  await dialog.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByText(`Revision ${made.version} restored`).first()).toBeVisible();
  expect((await orth.api<{ title: string }>("GET", "/jobs/told")).title).toBe("first");
});

test("the code: edit, save, versions, a trial, a change that meets another", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs", script("coded", { param: "own" }));
  await open(page, orth, "/jobs/coded/code");
  const editor = page.getByRole("textbox", { name: "Code of coded" });
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("echo again");
  await expect(page.getByText("not saved").first()).toBeVisible();

  await page.getByRole("button", { name: "Test run" }).click();
  await expect(page.getByText("got own").first()).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("again", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("Succeeded").first()).toBeVisible();

  await page.getByLabel("Note").fill("says it twice");
  await editor.click();
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Code saved").first()).toBeVisible();
  await expect(page.getByText("says it twice")).toBeVisible();
  await shootAll(page, "job-code");

  await page.getByRole("button", { name: /^Version 1/ }).click();
  await expect(page.getByText("Version 1 compared with the saved code")).toBeVisible();
  await shoot(page, "job-code-version");
  await page.getByRole("button", { name: "Edit this version" }).click();
  await expect(page.getByText("not saved").first()).toBeVisible();

  await orth.api("PATCH", "/jobs/coded", { handler: { kind: "shell", source: "echo theirs\n" } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Someone else saved this code")).toBeVisible();
  await shoot(page, "job-code-conflict");
  await dialog.getByRole("button", { name: "Discard mine, edit theirs" }).click();
  await expect(page.getByText("echo theirs")).toBeVisible();

  await orth.api("POST", "/jobs", script("coded-too", { handler: undefined, template: "coded" }));
  await open(page, orth, "/jobs/coded-too/code");
  await expect(page.getByText("This is the code of template coded.", { exact: false })).toBeVisible();
  await open(page, orth, "/templates");
  await expect(page.getByRole("link", { name: "coded-too" })).toBeVisible();
  await shootAll(page, "templates");
});
