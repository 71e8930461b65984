import { checkAxe, expect, type Orth, type Page, shoot, test } from "./server";

// The smaller actions of pages that the other specs pass by: what adds and removes a line of a form, leads on to another
// page, or takes a choice back.

test.describe.configure({ timeout: 240_000 });

const job = (orth: Orth, key: string, more: object = {}) =>
  orth.api("POST", "/jobs", {
    key,
    group: "samples",
    schedule: { kind: "manual" },
    handler: { kind: "shell", source: "echo one\n" },
    ...more,
  });

async function open(page: Page, orth: Orth, path: string): Promise<void> {
  await page.goto(`${orth.url}/console${path}`);
  await expect(page.locator("h1").first()).toBeVisible();
}

test("a row of the list of jobs leads on, and views are taken away", async ({ signedIn: page, orth }) => {
  await job(orth, "led");
  await open(page, orth, "/jobs?text=led");
  const menu = () => page.getByRole("button", { name: "Actions for led" }).click();
  await menu();
  await expect(page.getByRole("menuitem", { name: "Enable" })).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("menuitem", { name: "Trigger …" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Trigger led" })).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  for (const [item, address] of [
    ["View runs", /\/runs\?.*job=led/],
    ["Code", /\/jobs\/led\/code/],
    ["Edit", /\/jobs\/led\/edit/],
  ] as const) {
    await open(page, orth, "/jobs?text=led");
    await menu();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
    await expect(page).toHaveURL(address);
  }
  await open(page, orth, "/jobs?text=led");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save view" }).click();
  await dialog.getByLabel("View name").fill("Led");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Led", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete view Led" }).click();
  await expect(page.getByRole("button", { name: "Views" })).toBeVisible();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Export all matching" }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.(ya?ml|json)$/);
});

test("copies are made of several lines, and labels set and removed", async ({ signedIn: page, orth }) => {
  await job(orth, "master", { labels: { old: "yes" } });
  await open(page, orth, "/jobs?text=master");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Actions for master" }).click();
  await page.getByRole("menuitem", { name: "Copy" }).click();
  await dialog.getByRole("button", { name: "Add copy" }).click();
  await dialog.getByRole("button", { name: "Add copy" }).click();
  await dialog.getByRole("button", { name: "Remove copy 3" }).click();
  await dialog.getByLabel("Key").first().fill("master-1");
  await dialog.getByLabel("Key").last().fill("master-2");
  await dialog.getByRole("checkbox", { name: /Create instances/ }).check();
  await dialog.getByRole("button", { name: "Create copies" }).click();
  await expect(dialog.getByText("2 created")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  expect((await orth.api<{ template: string }>("GET", "/jobs/master-2")).template).toBe("master");

  await page.getByRole("checkbox", { name: "Select row master", exact: true }).click();
  await page.getByRole("toolbar").getByRole("button", { name: "Set labels" }).click();
  await expect(dialog.getByRole("heading", { name: "Set labels of 1 job", exact: true })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Set labels of 1 job" })).toHaveAccessibleDescription(
    "Enter at least one label.",
  );
  await dialog.getByLabel("Label", { exact: true }).fill("old");
  await dialog.getByRole("checkbox", { name: "Remove label" }).check();
  await dialog.getByRole("button", { name: "Add label" }).click();
  await dialog.getByLabel("Label", { exact: true }).last().fill("new");
  await dialog.getByLabel("Value").last().fill("yes");
  await dialog.getByRole("button", { name: "Set labels of 1 job" }).click();
  await expect(dialog.getByText("1 done, 0 failed")).toBeVisible();
  expect((await orth.api<{ labels: object }>("GET", "/jobs/master")).labels).toEqual({ new: "yes" });
});

test("the form: several schedules, jobs that follow, no logs, and theirs taken", async ({ signedIn: page, orth }) => {
  await job(orth, "next");
  await page.setViewportSize({ width: 1360, height: 4200 });
  await open(page, orth, "/jobs/new");
  await page.getByLabel("Key *").fill("many");
  await page.getByLabel("Executor group").fill("samples");
  await page.keyboard.press("Tab");
  await page.getByLabel("Handler name").fill("sample");
  await page.keyboard.press("Tab");
  await page.getByRole("radio", { name: /^Several/ }).click();
  for (let i = 0; i < 3; i++) await page.getByRole("button", { name: "Add schedule" }).click();
  const removers = page.getByRole("button", { name: /^Remove schedule/ });
  const before = await removers.count();
  await removers.last().click();
  await expect(removers).toHaveCount(before - 1);
  await page.getByRole("button", { name: "Add child job" }).click();
  await page.getByRole("combobox", { name: "Job" }).last().fill("next");
  await page.keyboard.press("Tab");
  await page.getByRole("switch", { name: "Do not store logs" }).click();
  await page.getByRole("switch", { name: "Enable the schedule" }).click();
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "many" })).toBeVisible();
  const made = await orth.api<{ children: { key: string }[]; logs: { off: boolean }; schedule: { kind: string } }>(
    "GET",
    "/jobs/many",
  );
  expect(made).toMatchObject({ children: [{ key: "next" }], logs: { off: true }, schedule: { kind: "several" } });

  await open(page, orth, "/jobs/next/edit");
  await page.getByLabel("Title").fill("mine");
  await orth.api("PATCH", "/jobs/next", { title: "theirs" });
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard mine, show theirs" }).click();
  await expect(page.getByLabel("Title")).toHaveValue("theirs");
});

test("the request of a job is filled in field by field", async ({ signedIn: page, orth }) => {
  await page.setViewportSize({ width: 1360, height: 3600 });
  await open(page, orth, "/jobs/new");
  await page.getByLabel("Key *").fill("calls");
  await page.getByLabel("Executor group").fill("samples");
  await page.keyboard.press("Tab");
  await page.getByRole("radio", { name: /^HTTP call/ }).click();
  const request = page.getByRole("group", { name: "Request" });
  await request.getByLabel("URL *").fill("https://example.com/report");
  await request.getByRole("button", { name: "Add header" }).click();
  await request.getByRole("textbox", { name: "Header 1" }).fill("Accept");
  await request.getByRole("textbox", { name: "Value 1" }).fill("text/plain");
  await request.getByRole("combobox", { name: "Body" }).click();
  await page.getByRole("option", { name: "JSON" }).click();
  const body = request.getByRole("textbox", { name: "JSON" });
  await body.fill('{"a":');
  await page.keyboard.press("Tab");
  await expect(request.getByText("Not valid JSON.")).toBeVisible();
  await body.fill('{"a":1}');
  await request.getByLabel("Expected status").fill("200, 3xx");
  await shoot(page, "job-request");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "calls" })).toBeVisible();
  const made = await orth.api<{ param: string }>("GET", "/jobs/calls");
  expect(JSON.parse(made.param)).toEqual({
    url: "https://example.com/report",
    headers: { Accept: "text/plain" },
    json: { a: 1 },
    expect: [200, "3xx"],
  });
  await open(page, orth, "/jobs/calls/edit");
  await expect(request.getByLabel("URL *")).toHaveValue("https://example.com/report");
  await request.getByRole("radio", { name: "Text" }).click();
  await request.getByRole("textbox", { name: "Request" }).fill("by hand");
  await expect(request.getByText("This text cannot be shown as fields.", { exact: false })).toBeVisible();
  await expect(request.getByRole("radio", { name: "Fields" })).toBeDisabled();
});

test("code is compared with what is saved, and versions with now", async ({ signedIn: page, orth }) => {
  await job(orth, "written");
  await orth.api("PATCH", "/jobs/written", { handler: { kind: "shell", source: "echo two\n" } });
  await open(page, orth, "/jobs/written/code");
  await page.getByRole("textbox", { name: "Code of written" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("echo three");
  await page.getByRole("checkbox", { name: "Show changes" }).check();
  await expect(page.locator(".cm-mergeView, .cm-changedLine, .cm-insertedLine").first()).toBeVisible();
  await page.getByRole("checkbox", { name: "Show changes" }).uncheck();
  await page.getByRole("button", { name: /^Version 1/ }).click();
  await page.getByRole("button", { name: "Back to editing" }).click();
  await expect(page.getByText("echo three")).toBeVisible();

  await job(orth, "follower", { handler: undefined, template: "written" });
  await open(page, orth, "/jobs/follower/code");
  await page.getByRole("link", { name: "Open template" }).click();
  await expect(page).toHaveURL(/\/jobs\/written/);
  await open(page, orth, "/jobs/written?tab=history");
  await page
    .getByRole("button", { name: /^Compare with current/ })
    .last()
    .click();
  await expect(page.getByRole("dialog").getByText(/Revision \d+ to \d+/)).toBeVisible();
});

test("a run and its log lead to each other, and logs are had in each way", async ({ signedIn: page, orth }) => {
  await job(orth, "logged");
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/logged/trigger", {});
  await expect.poll(async () => (await orth.api<{ final: boolean }>("GET", `/runs/${id}`)).final).toBe(true);
  await open(page, orth, `/runs/${id}`);
  await page.getByRole("link", { name: "Open full log" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}/log`));
  for (const way of ["This attempt without colours", "All attempts"]) {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("menuitem", { name: way }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.(log|txt)$/);
  }
  // What executors write around a run has marks for old pages; here they are no text.
  await expect(page.getByText("execute start").first()).not.toContainText("<br>");
  await page.getByRole("link", { name: "Back to the run" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}(\\?|$)`));
});

test("dead letters that are found are all driven again", async ({ signedIn: page, orth }) => {
  await job(orth, "mortal", { handler: { kind: "shell", source: "exit 1\n" } });
  await orth.api("POST", "/jobs/mortal/trigger", {});
  await page.goto(`${orth.url}/console/dead-letters?job=mortal`);
  await expect(page.getByRole("checkbox", { name: /^Select row \d/ })).toHaveCount(1, { timeout: 30_000 });
  await page.getByRole("button", { name: "Retry all matching" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Retry \d+$/ }).click();
  await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
});

test("years, days and groups are turned over and followed", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/calendars/default/cn-holidays");
  const year = page.getByRole("heading", { name: /^Year/ });
  const now = Number((await year.innerText()).match(/\d+/)?.[0]);
  await page.getByRole("button", { name: "Previous year" }).click();
  await expect(year).toContainText(String(now - 1));
  await page.getByRole("button", { name: "Next year" }).click();
  await expect(year).toContainText(String(now));
  await open(page, orth, "/timeline");
  await page.getByRole("button", { name: "Earlier" }).click();
  await expect(page).toHaveURL(/from=/);
  await page.getByRole("button", { name: "Now", exact: true }).click();
  await open(page, orth, "/groups/default/samples");
  await page.getByRole("link", { name: "Waiting runs" }).click();
  await expect(page).toHaveURL(/\/runs\?.*group=samples/);
});

test("a node of a workflow has its own parameter, waits for less, and goes", async ({ signedIn: page, orth }) => {
  for (const key of ["first-step", "last-step"]) await job(orth, key);
  await orth.api("PUT", "/workflows/trimmed", {
    nodes: [
      { name: "first", job: "first-step" },
      { name: "last", job: "last-step", after: [{ node: "first" }] },
    ],
  });
  await page.goto(`${orth.url}/console/workflows`);
  await page.getByRole("button", { name: "New workflow" }).click();
  await expect(page).toHaveURL(/workflows\/new/);
  await page.goto(`${orth.url}/console/workflows/trimmed/edit`);
  await page.locator(".react-flow__node").filter({ hasText: "last" }).click();
  await page.getByRole("button", { name: "Remove dependency on first" }).click();
  await expect(page.locator(".react-flow__edge")).toHaveCount(0);
  await page.getByRole("switch", { name: "Own parameter" }).click();
  await page.getByRole("textbox", { name: "Parameter" }).fill("42");
  await page.locator(".react-flow__node").filter({ hasText: "first" }).click();
  await page.getByRole("button", { name: "Remove node" }).click();
  await expect(page.locator(".react-flow__node")).toHaveCount(1);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(/\/workflows\/trimmed(\?|$)/);
  const kept = await orth.api<{ nodes: { name: string; param?: string }[] }>("GET", "/workflows/trimmed");
  expect(kept.nodes).toMatchObject([{ name: "last", param: "42" }]);
});

test("an alarm leads to its messages, and licences are read", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/alarms");
  await page.getByRole("link", { name: "View rules" }).click();
  await expect(page).toHaveURL(/\/alarms\/rules/);
  await open(page, orth, "/about");
  await page
    .getByRole("button", { name: /^Licence of/ })
    .first()
    .click();
  await expect(page.getByRole("dialog")).toContainText(/licen[cs]e/i);
});

test("a session that ends while a form is open loses nothing that was typed", async ({ signedIn: page, orth }) => {
  await job(orth, "typed");
  await open(page, orth, "/jobs/typed/edit");
  const title = page.getByLabel("Title", { exact: true });
  await title.fill("a long evening's work");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Your session has expired" })).not.toContainText("Bearer");
  const told = page.getByRole("status").filter({ hasText: "Your session has expired" });
  await expect(told).toContainText("Your input is kept");
  await expect(told.getByRole("link", { name: "Sign in in another tab" })).toHaveAttribute("href", "/console/sign-in");
  await checkAxe(page);
  await shoot(page, "session-over");
  await expect(title).toHaveValue("a long evening's work");
  await page.context().addCookies(cookies);
  await told.getByRole("button", { name: "Retry now" }).click();
  await expect(told).toHaveCount(0);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page).toHaveURL(/\/jobs\/typed$/);
  expect((await orth.api<{ title: string }>("GET", "/jobs/typed")).title).toBe("a long evening's work");
});
