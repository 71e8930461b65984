import { expect, type Orth, type Page, test } from "./server";

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

test("a row of the list of jobs leads on", async ({ signedIn: page, orth }) => {
  await job(orth, "led");
  await open(page, orth, "/jobs?text=led");
  const menu = () => page.getByRole("button", { name: "Actions of led" }).click();
  await menu();
  await expect(page.getByRole("menuitem", { name: "Start" })).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("menuitem", { name: "Run now" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Run led" })).toBeVisible();
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
});

test("copies are made of several lines, and labels set and removed", async ({ signedIn: page, orth }) => {
  await job(orth, "master", { labels: { old: "yes" } });
  await open(page, orth, "/jobs?text=master");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Actions of master" }).click();
  await page.getByRole("menuitem", { name: "Copy" }).click();
  await dialog.getByRole("button", { name: "Add a copy" }).click();
  await dialog.getByRole("button", { name: "Add a copy" }).click();
  await dialog.getByRole("button", { name: "Remove copy 3" }).click();
  await dialog.getByLabel("Key").first().fill("master-1");
  await dialog.getByLabel("Key").last().fill("master-2");
  await dialog.getByRole("checkbox", { name: /Make instances/ }).check();
  await dialog.getByRole("button", { name: "Make copies" }).click();
  await expect(dialog.getByText("2 made")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  expect((await orth.api<{ template: string }>("GET", "/jobs/master-2")).template).toBe("master");

  await page.getByRole("checkbox", { name: "Select row default/master", exact: true }).click();
  await page.getByRole("toolbar").getByRole("button", { name: "Set labels" }).click();
  await dialog.getByLabel("Label", { exact: true }).fill("old");
  await dialog.getByRole("checkbox", { name: "Remove it" }).check();
  await dialog.getByRole("button", { name: "Add a label" }).click();
  await dialog.getByLabel("Label", { exact: true }).last().fill("new");
  await dialog.getByLabel("Value").last().fill("yes");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog.getByText("1 done, 0 not")).toBeVisible();
  expect((await orth.api<{ labels: object }>("GET", "/jobs/master")).labels).toEqual({ new: "yes" });
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
  await page.getByRole("button", { name: "Back to what you edit" }).click();
  await expect(page.getByText("echo three")).toBeVisible();

  await job(orth, "follower", { handler: undefined, template: "written" });
  await open(page, orth, "/jobs/follower/code");
  await page.getByRole("link", { name: "Open the template" }).click();
  await expect(page).toHaveURL(/\/jobs\/written/);
  await open(page, orth, "/jobs/written?tab=history");
  await page
    .getByRole("button", { name: /^Compare with now/ })
    .last()
    .click();
  await expect(page.getByRole("dialog").getByText(/From revision \d+ to \d+/)).toBeVisible();
});

test("a run and its log lead to each other, and logs are had in each way", async ({ signedIn: page, orth }) => {
  await job(orth, "logged");
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/logged/trigger", {});
  await expect.poll(async () => (await orth.api<{ final: boolean }>("GET", `/runs/${id}`)).final).toBe(true);
  await open(page, orth, `/runs/${id}`);
  await page.getByRole("link", { name: "Log alone" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}/log`));
  for (const way of ["This attempt without colours", "All attempts"]) {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("menuitem", { name: way }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.(log|txt)$/);
  }
  // What executors write around a run has marks for old pages; here they are no text.
  await expect(page.getByText("execute start").first()).not.toContainText("<br>");
  await page.getByRole("link", { name: "The whole run" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${id}(\\?|$)`));
});

test("dead letters that are found are all driven again", async ({ signedIn: page, orth }) => {
  await job(orth, "mortal", { handler: { kind: "shell", source: "exit 1\n" } });
  await orth.api("POST", "/jobs/mortal/trigger", {});
  await page.goto(`${orth.url}/console/dead-letters?job=mortal`);
  await expect(page.getByRole("checkbox", { name: /^Select row \d/ })).toHaveCount(1, { timeout: 30_000 });
  await page.getByRole("button", { name: "Redrive all that are found" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Redrive \d+$/ }).click();
  await expect(dialog.getByText("Done: 1. Failed: 0.")).toBeVisible();
});

test("years, days and groups are turned over and followed", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/calendars/default/cn-holidays");
  const year = page.getByRole("heading", { name: /^The year/ });
  const now = Number((await year.innerText()).match(/\d+/)?.[0]);
  await page.getByRole("button", { name: "The year before" }).click();
  await expect(year).toContainText(String(now - 1));
  await page.getByRole("button", { name: "The next year" }).click();
  await expect(year).toContainText(String(now));
  await open(page, orth, "/timeline");
  await page.getByRole("button", { name: "Earlier" }).click();
  await expect(page).toHaveURL(/from=/);
  await page.getByRole("button", { name: "Now", exact: true }).click();
  await open(page, orth, "/groups/default/samples");
  await page.getByRole("link", { name: "Runs that wait" }).click();
  await expect(page).toHaveURL(/\/runs\?.*group=samples/);
});

test("an alarm leads to its messages, and licences are read", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/alarms");
  await page.getByRole("link", { name: "See the rules" }).click();
  await expect(page).toHaveURL(/\/alarms\/rules/);
  await open(page, orth, "/about");
  await page
    .getByRole("button", { name: /^Licence of/ })
    .first()
    .click();
  await expect(page.getByRole("dialog")).toContainText(/licen[cs]e/i);
});
