import { expect, type Page, shootAll, test } from "./server";

test.describe.configure({ timeout: 400_000 });

test("groups: made, edited, their executors drained, entered and removed, tokens rotated, deleted", async ({
  signedIn: page,
  orth,
}) => {
  const dialog = page.getByRole("dialog");
  await page.goto(`${orth.url}/console/groups`);
  await expect(page.getByRole("link", { name: "samples", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "New group" }).click();
  await dialog.getByLabel(/^Key/).fill("not a key!");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel(/^Key/).fill("reports");
  await dialog.getByLabel("Title").fill("Nightly reports");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/groups\/default\/reports/);
  await expect(page.getByText("No live executors")).toBeVisible();

  await page.getByRole("button", { name: "Add address" }).first().click();
  await dialog.getByLabel(/^Address/).fill("http://127.0.0.1:1");
  await dialog.getByRole("button", { name: "Add address" }).click();
  await expect(page.getByRole("cell", { name: /^http:\/\/127\.0\.0\.1:1/ })).toBeVisible();

  await page.getByRole("button", { name: "Add token" }).click();
  await dialog.getByLabel("Label").fill("from November");
  await dialog.getByRole("button", { name: "Add token" }).click();
  await expect(dialog.getByText(/^orthg_/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByText("from November")).toBeVisible();
  await page.getByRole("button", { name: "Add token" }).click();
  await dialog.getByLabel("Use an existing token of the executors").check();
  await dialog.getByLabel("Label").fill("old");
  await dialog.getByLabel(/^Existing token/).fill("short");
  await dialog.getByRole("button", { name: "Add token" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel(/^Existing token/).fill("a-token-of-the-old-admin");
  await dialog.getByRole("button", { name: "Add token" }).click();
  await expect(page.getByText("old", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Edit group" }).click();
  await dialog.getByLabel("Title").fill("Reports of the night");
  await dialog.getByLabel("Accept only tokens of this group").click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Reports of the night")).toBeVisible();
  await expect(page.getByText("Group tokens only")).toBeVisible();

  await page.getByRole("button", { name: "Edit rules" }).click();
  await dialog.getByLabel("Match 1").fill("http://172.17.");
  await dialog.getByLabel("Replace with 1").fill("http://gateway:{port}");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await dialog.getByLabel("Match 2").fill("10.1.0.0/16");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByRole("button", { name: "Remove rule 2" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("http://172.17. → http://gateway:{port}")).toBeVisible();
  await shootAll(page, "group");

  await page
    .getByRole("row", { name: /127\.0\.0\.1:1/ })
    .getByRole("button")
    .click();
  await page.getByRole("menuitem", { name: "Set protocol" }).click();
  await dialog.getByRole("combobox").click();
  await page.getByRole("option", { name: "xxl-job-3", exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("set manually")).toBeVisible();
  await page
    .getByRole("row", { name: /127\.0\.0\.1:1/ })
    .getByRole("button")
    .click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No live executors")).toBeVisible();
  for (const label of ["from November", "old"]) {
    await page.getByRole("button", { name: "Edit group" }).click();
    const own = dialog.getByLabel("Accept only tokens of this group");
    await expect(own).toBeVisible();
    if (await own.isChecked()) await own.click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
    await page.getByRole("row", { name: label }).getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await expect(page.getByRole("row", { name: label })).toHaveCount(0);
  }
  await expect(page.getByText("No group tokens")).toBeVisible();
  await page.getByRole("button", { name: "Delete group" }).click();
  await dialog.getByRole("textbox").fill("reports");
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await expect(page).toHaveURL(/\/console\/groups$/);
  await expect(page.getByRole("link", { name: "reports", exact: true })).toHaveCount(0);
});

test("executors: drained and taken back, with what they have and what is wrong with them", async ({
  signedIn: page,
  orth,
}) => {
  await orth.api("POST", "/groups/ghosts/addresses", { address: "http://127.0.0.1:2", dialect: "auto" });
  await page.goto(`${orth.url}/console/groups`);
  await expect(page.getByRole("link", { name: "ghosts", exact: true })).toBeVisible();
  await shootAll(page, "groups");
  await page.goto(`${orth.url}/console/groups/default/samples`);
  const row = page.getByRole("row", { name: /healthy|draining/ });
  await expect(row).toBeVisible();
  const dialog = page.getByRole("dialog");
  await row.getByRole("button").click();
  await page.getByRole("menuitem", { name: "Drain" }).click();
  await dialog.getByRole("button", { name: "Drain" }).click();
  await expect(row.getByText("draining")).toBeVisible({ timeout: 30_000 });
  await row.getByRole("button").click();
  await page.getByRole("menuitem", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await expect(row.getByText("healthy")).toBeVisible({ timeout: 30_000 });
  await row.getByText(/^http/).click();
  await expect(dialog.getByText("Current runs")).toBeVisible();
  await shootDialog(page, "executor");
});

test("calendars: made of three things, previewed, edited, and deleted", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  await page.goto(`${orth.url}/console/calendars`);
  await expect(page.getByRole("heading", { name: "Calendars" })).toBeVisible();
  await page.getByRole("button", { name: "New calendar" }).first().click();
  await dialog.getByLabel(/^Key/).fill("china");
  await dialog.getByRole("combobox").last().fill("cn"); // the first is the namespace
  await page.getByRole("option", { name: /\(cn\)/ }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/calendars\/default\/china/);
  await expect(page.getByText("Listed days of").first()).toBeVisible();
  await shootAll(page, "calendar");

  await page.goto(`${orth.url}/console/calendars`);
  await page.getByRole("button", { name: "New calendar" }).first().click();
  await dialog.getByLabel(/^Key/).fill("china");
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel(/^Key/).fill("works");
  await dialog.getByText("File", { exact: true }).click();
  await dialog.getByRole("radio", { name: /^CSV/ }).click();
  await dialog.getByLabel(/^File content/).fill("nonsense");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  const year = Number(new Date().toLocaleDateString("en", { timeZone: "Europe/Berlin", year: "numeric" })); // as the page has it
  await dialog.getByLabel(/^File content/).fill(`${year}-05-04,Company day\n${year}-05-09,makes up,work\n`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/calendars\/default\/works/);
  await expect(page.getByText("Company day", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Edit rules" }).click();
  await page.getByLabel(/^Yearly/).fill("moon");
  await page.keyboard.press("Tab");
  await expect(page.getByText("Invalid: line 1")).toBeVisible();
  await page.getByLabel(/^Yearly/).fill("12-24 Christmas Eve | from 2020");
  await expect(page.getByText("Christmas Eve", { exact: true })).toBeVisible();
  await page
    .getByRole("button", { name: new RegExp(`^${year}-07-0[1-3]: open`) })
    .first()
    .click();
  await shootEdit(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved", { exact: true }).first()).toBeVisible();
  await orth.api("POST", "/jobs", {
    key: "on-works",
    group: "samples",
    handler: { kind: "shell", source: "true\n" },
    schedule: { kind: "cron", cron: "0 0 12 * * ?", calendars: ["works"] },
  });
  await agree(orth, page, year);

  await page.goto(`${orth.url}/console/calendars/default/works`);
  await expect(page.getByRole("link", { name: "on-works" })).toBeVisible();
  await page.getByRole("button", { name: "Delete calendar" }).click();
  await dialog.getByRole("textbox").fill("works");
  await dialog.getByRole("button", { name: "Delete calendar" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await orth.api("DELETE", "/jobs/on-works");
  await dialog.getByRole("button", { name: "Delete calendar" }).click();
  await expect(page).toHaveURL(/\/console\/calendars$/);
  await expect(page.getByRole("link", { name: "works" })).toHaveCount(0);
  await shootAll(page, "calendars");

  await page.goto(`${orth.url}/console/calendars/default/china`);
  await page.getByRole("button", { name: "Re-import" }).click();
  const china = await orth.api<{ version: number; rules: object }>("GET", "/calendars/china");
  await orth.api("PUT", "/calendars/china", { title: "By another", version: china.version, rules: china.rules });
  await dialog.getByText("Rules", { exact: true }).click();
  await dialog.getByRole("button", { name: "Re-import" }).click();
  await expect(dialog.getByText("Someone else changed this")).toBeVisible();
  await dialog.getByRole("button", { name: "Load their changes and keep my input" }).click();
  await expect(dialog.getByLabel("Title")).toHaveValue("By another");
  await dialog.getByRole("button", { name: "Re-import" }).click();
  await expect(page.getByText("No listed days in this year.")).toBeVisible();
});

test("the timeline shows what fires when, and a time for a pause is chosen in it", async ({ signedIn: page, orth }) => {
  for (const [key, cron] of [
    ["noon-a", "0 0 12 * * ?"],
    ["noon-b", "0 0 12 * * ?"],
    ["often", "0 0/20 * * * ?"],
  ]) {
    await orth.api("POST", "/jobs", {
      key,
      group: "samples",
      handler: { kind: "shell", source: "true\n" },
      schedule: { kind: "cron", cron },
      enabled: true,
    });
    await orth.api("POST", `/jobs/${key}/start`).catch(() => undefined);
  }
  await page.goto(`${orth.url}/console/timeline?ns=default`);
  await expect(page.getByRole("img", { name: /(^|\/)samples: \d+ firings/ })).toBeVisible();
  await expect(page.getByRole("link", { name: "noon-a" }).first()).toBeVisible();
  await shootAll(page, "timeline");
  await page.getByRole("radio", { name: "Jobs" }).click();
  await expect(page.getByRole("img", { name: /(^|\/)often: 7[12] firings/ })).toBeVisible();
  const strip = await page.getByRole("img", { name: /(^|\/)often/ }).boundingBox();
  if (!strip) throw new Error("the strip has no place");
  await page.mouse.move(strip.x + strip.width * 0.25, strip.y + 5);
  await page.mouse.down();
  await page.mouse.move(strip.x + strip.width * 0.5, strip.y + 5, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByText(/\d+ firings of \d+ jobs/)).toBeVisible();
  await shootDialog(page, "timeline-range");
  await page.getByRole("radio", { name: "6 h", exact: true }).click();
  await page.getByRole("button", { name: "Later" }).click();
  await expect(page).toHaveURL(/from=/);
  await page.getByRole("button", { name: "Now" }).click();
  await page.getByRole("radio", { name: "24 h", exact: true }).click();
  await page.getByLabel("From", { exact: true }).fill("2031-01-01T00:00:00");
  await page.getByLabel("Until", { exact: true }).fill("2030-01-01T00:00:00");
  await expect(page.getByText("The end must be after the start.")).toBeVisible();
  await page.getByLabel("Until", { exact: true }).fill("2031-01-01T02:00:00");
  await page.getByRole("link", { name: "Pause jobs in this period" }).click();
  await expect(page).toHaveURL(/\/pauses\?.*new=1/);
  await expect(page).toHaveURL(/from=20/);
});

/** The days that the page shows closed are those that the server closes. */
async function agree(
  orth: { api: <T>(method: string, path: string, body?: unknown) => Promise<T> },
  page: Page,
  year: number,
): Promise<void> {
  const { firings } = await orth.api<{ firings: { local: string; dropped?: boolean }[] }>("POST", "/firings", {
    schedule: { kind: "cron", cron: "0 0 12 * * ?", calendars: ["works"] },
    from: `${year - 1}-12-31T23:00:00Z`,
    count: 366,
  });
  const dropped = firings.filter((one) => one.dropped && one.local.startsWith(`${year}-`)).map((one) => one.local);
  const shown = () =>
    page.locator("td[title*=': closed']").evaluateAll((all) => all.map((td) => td.getAttribute("title")?.slice(0, 10)));
  await expect.poll(shown).toEqual(dropped.map((local) => local.slice(0, 10)));
}

async function shootDialog(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `e2e/shots/${name}.png`, animations: "disabled" });
}

async function shootEdit(page: Page): Promise<void> {
  await page.screenshot({ path: "e2e/shots/calendar-edit.png", fullPage: true, animations: "disabled" });
}
