import { expect, shoot, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });

test("all namespaces are shown together, and what pauses hold is hatched", async ({ signedIn: page, orth }) => {
  const url = "https://example.com/hook";
  for (const namespace of ["default", "team"]) {
    await orth.api("POST", `/alarm/channels?namespace=${namespace}`, {
      key: "all-ops",
      kind: "webhook",
      secrets: { url },
    });
    await orth.api("POST", `/alarm/rules?namespace=${namespace}`, {
      key: "all-night",
      kinds: ["failed"],
      channels: ["all-ops"],
    });
    await orth.api("POST", `/jobs?namespace=${namespace}`, {
      key: "hourly",
      group: "samples",
      schedule: { kind: "cron", cron: "0 0 * * * ?", zone: "UTC" },
      handler: { kind: "shell", source: "true\n" },
      enabled: true,
    });
  }
  await orth.api("PUT", "/pauses/move", { namespace: "team", reason: "the warehouse moves" });

  await page.goto(`${orth.url}/console/alarms/rules`);
  await expect(page.getByRole("link", { name: "all-night" })).toHaveCount(2);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toBeVisible();
  await page.getByRole("row", { name: /team/ }).getByRole("link", { name: "all-night" }).click();
  await expect(page.getByText("Namespace: team")).toBeVisible();
  await page.goto(`${orth.url}/console/alarms/channels?ns=team`);
  await expect(page.getByRole("link", { name: "all-ops" })).toHaveCount(1);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toHaveCount(0);

  await page.goto(`${orth.url}/console/timeline`);
  await expect(page.getByRole("link", { name: "team/samples" })).toBeVisible();
  await expect(page.getByRole("img", { name: /^team\/samples.*paused by move/ })).toBeVisible();
  await expect(page.locator('[data-held="move"]')).toHaveCount(1);
});

test("something new goes where it is chosen to go, and jobs are found in all namespaces", async ({
  signedIn: page,
  orth,
}) => {
  const run = await orth.api<{ run: { id: string } }>("POST", "/jobs?namespace=elsewhere", {
    key: "far-away",
    group: "samples",
    handler: { kind: "shell", source: "true\n" },
  });
  expect(run).toBeDefined();
  await page.goto(`${orth.url}/console/alarms/channels`);
  await page.getByRole("button", { name: "New channel" }).first().click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("textbox", { name: "Key", exact: true }).fill("far-ops");
  await drawer.getByRole("combobox", { name: "Namespace" }).click();
  await page.getByRole("option", { name: "elsewhere" }).click();
  await expect(drawer.getByRole("textbox", { name: "Key", exact: true })).toHaveValue("far-ops");
  await shootAll(page, "channel-new-all-namespaces");
  await orth.api("POST", "/alarm/channels?namespace=elsewhere", {
    key: "far-ops",
    kind: "webhook",
    secrets: { url: "https://example.com/hook" },
  });

  await page.goto(`${orth.url}/console/alarms/rules`);
  await page.getByRole("button", { name: "New rule" }).first().click();
  await drawer.getByRole("textbox", { name: "Key", exact: true }).fill("far-night");
  await drawer.getByRole("combobox", { name: "Namespace" }).click();
  await page.getByRole("option", { name: "elsewhere" }).click();
  await drawer.getByRole("combobox", { name: "Channels" }).click();
  await page.getByRole("option", { name: /far-ops/ }).click();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeVisible();
  await drawer.getByRole("button", { name: "Create" }).click();
  await expect(drawer).toHaveCount(0);
  const rule = await orth.api<{ channels: string[] }>("GET", "/alarm/rules/far-night?namespace=elsewhere");
  expect(rule.channels).toEqual(["far-ops"]);

  await page.goto(`${orth.url}/console/alarms/silences`);
  await page.getByRole("button", { name: "New silence" }).first().click();
  await drawer.getByRole("combobox", { name: "Namespace" }).click();
  await page.getByRole("option", { name: "elsewhere" }).click();
  await drawer.getByLabel("Reason").fill("far away");
  await drawer.getByRole("button", { name: "Create" }).click();
  await expect(drawer).toHaveCount(0);
  const silences = await orth.api<{ silences: { comment: string }[] }>("GET", "/alarm/silences?namespace=elsewhere");
  expect(silences.silences.map((one) => one.comment)).toEqual(["far away"]);

  await orth.api("POST", "/jobs/far-away/trigger?namespace=elsewhere", {});
  await page.goto(`${orth.url}/console/runs`);
  await page.getByRole("button", { name: "Job", exact: true }).click();
  await page.getByRole("combobox", { name: "Job" }).fill("far");
  await page.getByRole("option", { name: /elsewhere\/far-away/ }).click();
  await expect(page).toHaveURL(/job=elsewhere(%2F|\/)far-away/);
  await expect(page.getByRole("link", { name: "far-away" }).first()).toBeVisible();
});

test("jobs, templates, workflows, calendars and secrets of all namespaces are shown together", async ({
  signedIn: page,
  orth,
}) => {
  for (const [namespace, at] of [
    ["single", 1],
    ["twofold", 2],
  ] as const) {
    const query = `namespace=${namespace}`;
    await orth.api("PUT", `/calendars/one-space?${query}`, { rules: { weekdays: ["SAT", "SUN"] } });
    await orth.api("POST", `/jobs?${query}`, {
      key: "by-calendar",
      title: `Number ${at}`,
      group: "samples",
      handler: { kind: "shell", source: "true\n" },
      schedule: { kind: "cron", cron: "0 0 12 * * ?", calendars: ["one-space"] },
    });
    await orth.api("POST", `/jobs?${query}`, { key: "by-none", group: "samples", template: "by-calendar" });
    await orth.api("PUT", `/workflows/both?${query}`, { nodes: [{ name: "a", job: "by-none" }] });
    await orth.api("POST", `/secrets?${query}`, { key: "shared-token", value: `value number ${at} of all` });
  }

  await page.goto(`${orth.url}/console/jobs?text=by-&sort=-title`);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toBeVisible();
  await expect(page.getByRole("link", { name: "by-calendar" })).toHaveCount(2);
  const rows = page.getByRole("row").filter({ hasText: "by-calendar" });
  await expect(rows.first()).toContainText("twofold");
  await shootAll(page, "jobs-all-namespaces");
  await page.getByRole("checkbox", { name: /select all/i }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("single/by-calendar");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Disable \d+ jobs$/ })
    .click();
  await expect(page.getByRole("dialog")).toContainText("twofold/by-none");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await rows.last().getByRole("link", { name: "by-calendar" }).click();
  await expect(page).toHaveURL(/ns=single/);
  await expect(page.getByText("Number 1").first()).toBeVisible();
  await page.goto(`${orth.url}/console/jobs?ns=single&calendar=one-space`);
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "by-calendar" })).toBeVisible();
  await expect(page.getByRole("link", { name: "by-none" })).toHaveCount(0);

  for (const [path, name] of [
    ["templates", "by-calendar"],
    ["workflows", "both"],
    ["calendars", "one-space"],
    ["secrets", "shared-token"],
  ] as const) {
    await page.goto(`${orth.url}/console/${path}`);
    await expect(page.getByRole("link", { name, exact: true })).toHaveCount(2);
    await shoot(page, `${path}-all-namespaces`);
    await page.getByRole("row").filter({ hasText: "twofold" }).getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(/twofold/);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  }

  await page.goto(`${orth.url}/console/secrets`);
  await page.getByRole("button", { name: "New secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Namespace" }).click();
  await page.getByRole("option", { name: "twofold" }).click();
  await dialog.getByRole("textbox", { name: "Key" }).fill("second-token");
  await dialog.getByRole("textbox", { name: "Value" }).fill("another value of all");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/secrets\/second-token\?ns=twofold/);
  await page.goto(`${orth.url}/console/jobs/new?ns=`);
  await expect(page.getByText("New objects are created in the namespace")).toBeVisible();
});
