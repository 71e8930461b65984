import { person, signInAs } from "./people";
import { checkAxe, expect, shootAll, test, watchErrors } from "./server";

test.describe.configure({ timeout: 240_000 });

test("who may only view sees groups and alarms without their actions", async ({ orth, browser }) => {
  await person(orth, "only-viewer", "viewer", "default");
  await orth.api("POST", "/alarm/channels", {
    key: "viewed",
    kind: "webhook",
    secrets: { url: "https://example.com/hook" },
  });
  await orth.api("POST", "/alarm/rules", { key: "viewed-rule", kinds: ["failed"], channels: ["viewed"] });
  await orth.api("POST", "/alarm/silences", { comment: "viewed quiet", until: new Date(Date.now() + 3_600_000) });
  const page = await (await browser.newContext()).newPage();
  const errors = watchErrors(page);
  await signInAs(page, orth, "only-viewer");
  const none = async (...names: (string | RegExp)[]) => {
    for (const name of names) await expect(page.getByRole("button", { name })).toHaveCount(0);
  };

  await page.goto(`${orth.url}/console/groups`);
  await expect(page.getByRole("link", { name: "samples", exact: true })).toBeVisible();
  await none("New group");
  await page.goto(`${orth.url}/console/groups/default/samples`);
  await expect(page.getByRole("heading", { name: "samples" })).toBeVisible();
  await expect(page.getByText("127.0.0.1").first()).toBeVisible();
  await none("Edit group", "Delete group", /^Drain/, "Add address", "Edit rules");
  await checkAxe(page);

  await page.goto(`${orth.url}/console/alarms/rules`);
  await expect(page.getByRole("link", { name: "viewed-rule" })).toBeVisible();
  await none("New rule");
  await expect(page.getByRole("switch")).toHaveCount(0);
  await page.getByRole("link", { name: "viewed-rule" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByRole("button", { name: "Save" })).toHaveCount(0);
  await expect(drawer.getByRole("textbox", { name: "Title" })).toBeDisabled();
  await page.goto(`${orth.url}/console/alarms/channels`);
  await expect(page.getByRole("link", { name: "viewed" }).first()).toBeVisible();
  await none("New channel");
  await page.goto(`${orth.url}/console/alarms/silences`);
  await expect(page.getByText("viewed quiet")).toBeVisible();
  await none("New silence", "New maintenance window", "End now");
  await shootAll(page, "silences-viewer");

  await page.goto(`${orth.url}/console/jobs`);
  await expect(page.getByRole("link", { name: "sample-go" })).toBeVisible();
  await expect(page.getByRole("link", { name: "New job" })).toHaveCount(0);
  for (const path of ["audit", "import"]) {
    await expect(page.locator(`a[href$="/console/${path}"]`)).toHaveCount(0);
  }
  expect(errors).toEqual([]);
  await page.close();
});

test("the tiles of the moment are those of the namespace that is shown", async ({ signedIn: page, orth }) => {
  for (const key of ["narrow-a", "narrow-b"]) {
    await orth.api("POST", "/jobs?namespace=narrow", {
      key,
      group: "samples",
      handler: { kind: "shell", source: "true\n" },
    });
  }
  await page.goto(`${orth.url}/console/?ns=narrow`);
  const jobs = page.getByRole("region", { name: "Now" }).getByRole("link", { name: /^Jobs/ });
  await expect(jobs).toContainText("2");
  await orth.api("POST", "/jobs?namespace=narrow", {
    key: "narrow-c",
    group: "samples",
    handler: { kind: "shell", source: "true\n" },
  });
  await expect(jobs).toContainText("3");
  await shootAll(page, "dashboard-narrow");
  await jobs.click();
  await expect(page).toHaveURL(/\/jobs\?.*ns=narrow/);
  await expect(page.getByRole("link", { name: "narrow-c" })).toBeVisible();
});

test("settings say who set them", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/settings`);
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
  await expect(row("listen").getByText("flag", { exact: true })).toBeVisible();
  await expect(row("lease-ttl").getByText("default", { exact: true })).toBeVisible();
  await expect(row("lease-ttl").getByRole("button", { name: "Copy: ORTH_LEASE_TTL" })).toBeVisible();
});

test("what somebody may not do at all is said in place of its page, and nothing is asked for", async ({
  orth,
  browser,
}) => {
  await orth.api("POST", "/groups?namespace=shop", { key: "billing" });
  await orth.api("POST", "/groups?namespace=shop", { key: "mail" });
  await person(orth, "barred-viewer", "viewer", "*");
  await person(orth, "barred-biller", "editor", "shop", "billing");
  await orth.api("PUT", "/workflows/barred", { nodes: [{ name: "a", job: "sample-go" }] });
  const refused: string[] = [];
  const as = async (name: string) => {
    const page = await (await browser.newContext()).newPage();
    await signInAs(page, orth, name);
    page.on("response", (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
    });
    return page;
  };

  const viewer = await as("barred-viewer");
  for (const path of ["audit", "settings"]) {
    await viewer.goto(`${orth.url}/console/${path}`);
    await expect(viewer.getByText("Only administrators of the server see this")).toBeVisible();
    await expect(viewer.locator("main").getByRole("button")).toHaveCount(0);
  }
  for (const path of ["jobs/new", "jobs/sample-go/edit", "workflows/new", "workflows/barred/edit"]) {
    await viewer.goto(`${orth.url}/console/${path}`);
    await expect(viewer.getByText("You need the right to edit here")).toBeVisible();
    await expect(viewer.locator("main").getByRole("textbox")).toHaveCount(0);
  }
  await shootAll(viewer, "barred");
  await viewer.close();

  // Who may edit in another namespace than the default one makes things there, and in the groups of their own.
  const biller = await as("barred-biller");
  await biller.goto(`${orth.url}/console/jobs/new`);
  await biller.getByLabel("Key", { exact: false }).first().fill("bills");
  await biller.getByRole("combobox", { name: "Executor group" }).click();
  await expect(biller.getByRole("option", { name: "billing" })).toBeVisible();
  await expect(biller.getByRole("option")).toHaveCount(1);
  await biller.goto(`${orth.url}/console/workflows/new`);
  await expect(biller.getByRole("button", { name: "Save" })).toBeVisible();
  await biller.close();
  expect(refused).toEqual([]);
});
