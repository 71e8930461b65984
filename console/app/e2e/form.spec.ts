import { checkAxe, expect, type Orth, shoot, shootAll, test } from "./server";

type Page = Parameters<typeof shoot>[0];

test.beforeEach(() => test.setTimeout(240_000));

async function open(page: Page, orth: Orth, path: string) {
  await page.goto(`${orth.url}/console${path}`);
  await expect(page.locator("h1").first()).toBeVisible();
}

const kinds = (page: Page) => page.getByRole("radiogroup", { name: "Run mode" });
const kind = (page: Page, name: string) => kinds(page).getByText(name, { exact: true });

/** The job as the API has it. */
type Made = { param?: string; handler: { kind: string; name?: string; source?: string } };

test("1. HTTP calls and commands are among the kinds, with fields of their own", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/jobs/new?group=samples");
  for (const name of [
    "Handler",
    "HTTP call",
    "Command",
    "Shell",
    "Python 3",
    "Node.js",
    "PowerShell",
    "PHP",
    "Groovy",
    "JavaScript",
    "Template",
  ]) {
    await expect(kind(page, name)).toBeVisible();
  }
  await expect(page.getByRole("link", { name: "Run on all executors (sharding broadcast)" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Run several jobs in order (workflow)" })).toHaveAttribute(
    "href",
    /workflows/,
  );

  // This machine has no Python 2, or PowerShell; kinds that no executor offers say so and can be chosen all the same.
  const { handlers } = await orth.api<{ handlers: { kind: string }[] }>("GET", "/groups/samples/handlers");
  const offered = new Set(handlers.map((one) => one.kind));
  for (const [of, name] of [
    ["powershell", "PowerShell"],
    ["shell", "Shell"],
  ] as const) {
    const card = kinds(page)
      .locator("label")
      .filter({ has: page.getByText(name, { exact: true }) });
    await expect(card.getByText("No executor of this group supports it.")).toHaveCount(offered.has(of) ? 0 : 1);
    await expect(card.getByRole("radio")).toBeEnabled();
  }

  await kind(page, "HTTP call").click();
  await page.getByLabel("Key *").fill("call");
  await page.getByRole("combobox", { name: "Method" }).click();
  await page.getByRole("option", { name: "POST", exact: true }).click();
  await page.getByLabel("URL").fill("https://example.com/hook");
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Header 1").fill("X-Team");
  await page.getByLabel("Value 1").fill("ops");
  await page.getByRole("combobox", { name: "Body" }).click();
  await page.getByRole("option", { name: "JSON" }).click();
  await page.getByLabel("JSON", { exact: true }).fill('{"day":"2026-01-01"}');
  await page.getByLabel("Expected status").fill("200, 202");
  await page.getByLabel("Request timeout").fill("5s");
  await shootAll(page, "form-http");
  await kind(page, "HTTP call").click();
});

test("1b. what the fields of a call and of a command say is what runs", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/jobs/new?group=samples");
  await page.getByLabel("Key *").fill("call");
  await kind(page, "HTTP call").click();
  await page.getByLabel("URL").fill(`${orth.own}/api/v1/health`);
  await page.getByLabel("Request timeout").fill("5s");
  await page.getByRole("radio", { name: "Text", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Request" })).toHaveValue(/"timeout": "5s"/);
  await page.getByRole("radio", { name: "Fields", exact: true }).click();
  await expect(page.getByLabel("URL")).toHaveValue(/health/);

  await kind(page, "Command").click();
  await page.getByRole("textbox", { name: "Program" }).fill("sh");
  await page.getByLabel("Working directory").fill("/");
  await page.getByLabel("Arguments").fill('-c\necho "in $PWD as $COLOUR"');
  await page.getByRole("button", { name: "Add variable" }).click();
  await page.getByLabel("Variable 1").fill("COLOUR");
  await page.getByLabel("Value 1").fill("red");
  await checkAxe(page);
  await shoot(page, "form-command", true);

  // Each kind keeps what it has.
  await kind(page, "HTTP call").click();
  await expect(page.getByLabel("URL")).toHaveValue(/health/);
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "call" })).toBeVisible();
  const call = await orth.api<Made>("GET", "/jobs/call");
  expect(call.handler).toMatchObject({ kind: "named", name: "httpJobHandler" });
  expect(JSON.parse(call.param ?? "")).toEqual({ url: `${orth.own}/api/v1/health`, timeout: "5s" });

  await open(page, orth, "/jobs/call/edit");
  await kind(page, "Command").click();
  await page.getByRole("textbox", { name: "Program" }).fill("sh");
  await page.getByLabel("Arguments").fill('-c\necho "in $PWD as $COLOUR"');
  await page.getByLabel("Working directory").fill("/");
  await page.getByRole("button", { name: "Add variable" }).click();
  await page.getByLabel("Variable 1").fill("COLOUR");
  await page.getByLabel("Value 1").fill("red");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { name: "call" })).toBeVisible();
  const command = await orth.api<Made>("GET", "/jobs/call");
  expect(command.handler).toMatchObject({ kind: "named", name: "commandJobHandler" });
  const run = await orth.api<{ id: string }>("POST", "/jobs/call/trigger", {});
  await expect.poll(async () => (await orth.api<{ state: string }>("GET", `/runs/${run.id}`)).state).toBe("succeeded");
  await open(page, orth, `/runs/${run.id}`);
  await expect(page.getByText("in / as red").first()).toBeVisible();
});

test("2. the handlers to choose from are those that executors have announced", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/jobs/new?group=samples");
  const name = page.getByRole("combobox", { name: "Handler name" });
  await name.click();
  const { handlers } = await orth.api<{ handlers: { kind: string; name?: string }[] }>(
    "GET",
    "/groups/samples/handlers",
  );
  const announced = handlers.flatMap((one) =>
    one.kind === "named" && !/^(http|command)JobHandler$/.test(one.name ?? "") ? [one.name ?? ""] : [],
  );
  expect(announced.length).toBeGreaterThan(0);
  await expect(page.getByRole("option")).toHaveCount(announced.length);
  await expect(page.getByRole("option").first()).toContainText("1 of 1 executors");
  await shoot(page, "form-handlers");
  await page.getByRole("option", { name: announced[0] }).first().click();
  await expect(name).toHaveValue(announced[0] ?? "");

  await name.fill("nobodyHasThis");
  await page.keyboard.press("Tab");
  await expect(page.getByText("No executor of samples has registered nobodyHasThis.", { exact: false })).toBeVisible();
  await expect(name).not.toHaveAttribute("aria-invalid");
  await page.getByLabel("Key *").fill("unheard");
  await expect(page.getByText("Valid: ready to save")).toBeVisible();
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "unheard" })).toBeVisible();
});

test("3. nothing is red before somebody has typed", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/jobs/new");
  await expect(page.getByRole("textbox", { name: "Key" })).toHaveAttribute("aria-required", "true");
  const calm = async () => {
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(page.locator("[aria-invalid=true]")).toHaveCount(0);
  };
  await calm();
  // Walking through the fields types nothing.
  await page.getByRole("textbox", { name: "Key" }).focus();
  for (let i = 0; i < 40; i++) await page.keyboard.press("Tab");
  await calm();
  for (const way of ["Every", "After", "Daily", "Once", "Several"]) {
    await page
      .getByRole("radiogroup", { name: "Schedule" })
      .getByRole("radio", { name: new RegExp(`^${way}`) })
      .click();
    await calm();
  }
  for (const name of ["HTTP call", "Command", "Template", "Handler"]) {
    await kind(page, name).click();
    await calm();
  }
  await shootAll(page, "form-new");
  const mark = page.getByTitle("Required").first();
  const [colour, alarm] = await Promise.all([
    mark.evaluate((one) => getComputedStyle(one).color),
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--color-bad")),
  ]);
  expect(colour).not.toBe(alarm);

  // What was typed and left is told, and nothing else.
  await page.getByRole("textbox", { name: "Key" }).fill("Not a key");
  await calm();
  await page.keyboard.press("Tab");
  await expect(page.locator("[aria-invalid=true]")).toHaveCount(1);
});

test("4. a script starts with a sample that runs, and each language keeps its own", async ({
  signedIn: page,
  orth,
}) => {
  await open(page, orth, "/jobs/new?group=samples");
  const editor = page.getByRole("textbox", { name: "Source code" });
  await kind(page, "Shell").click();
  await expect(editor).toContainText("ORTH_JOB_SCHEDULE_TIME");
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("echo mine");
  await kind(page, "Python 3").click();
  await expect(editor).toContainText("import os");
  await expect(editor).not.toContainText("echo mine");
  await kind(page, "Groovy").click();
  await expect(editor).toContainText("IJobHandler");
  await kind(page, "Shell").click();
  await expect(editor).toContainText("echo mine");

  await page.getByLabel("Key *").fill("seeded");
  await page.getByLabel("Parameter").fill("hello");
  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "seeded" })).toBeVisible();
  const run = await orth.api<{ id: string }>("POST", "/jobs/seeded/trigger", {
    planned_at: "2026-01-02T03:04:05.000Z",
  });
  await expect.poll(async () => (await orth.api<{ state: string }>("GET", `/runs/${run.id}`)).state).toBe("succeeded");
  await open(page, orth, `/runs/${run.id}`);
  await expect(page.getByText("Parameter: hello").first()).toBeVisible();
  await expect(page.getByText(/Planned time: 2026-01-0/).first()).toBeVisible();
  await expect(page.getByText("mine", { exact: true }).first()).toBeVisible();

  await open(page, orth, "/jobs/new?group=samples");
  await kind(page, "PowerShell").click();
  await expect(editor).toContainText("Write-Output");
  await shootAll(page, "form-script");
});

test("5. a refused submit leads to the first field at fault", async ({ signedIn: page, orth }) => {
  await open(page, orth, "/jobs/new?group=samples");
  const create = page.getByRole("button", { name: "Create job" });
  await create.click();
  const key = page.getByRole("textbox", { name: "Key" });
  await expect(key).toBeFocused();
  await expect(key).toHaveAttribute("aria-invalid", "true");
  await expect(key).toHaveAccessibleDescription(/Required/);
  await expect(page.getByText("2 fields need attention")).toBeVisible();
  await shootAll(page, "form-refused");

  // Folded fields are opened.
  await key.fill("refused");
  await page.getByRole("combobox", { name: "Handler name" }).fill("x");
  await page.getByText("Limits and clock changes").click();
  await page.getByLabel("Maximum firings", { exact: true }).fill("many");
  await page.getByText("Limits and clock changes").click();
  await expect(page.getByLabel("Maximum firings", { exact: true })).toBeHidden();
  await create.click();
  await expect(page.getByLabel("Maximum firings", { exact: true })).toBeFocused();
  await expect(page.getByText("1 field needs attention")).toBeVisible();
  await page.getByLabel("Maximum firings", { exact: true }).fill("");

  // What only the server knows goes to its field too.
  await page.getByLabel("Cron expression").fill("0 0 25 * * ?");
  await create.click();
  await expect(page.getByLabel("Cron expression")).toBeFocused();
  await expect(page.getByLabel("Cron expression")).toHaveAccessibleDescription(/25/);
  await page.getByLabel("Cron expression").fill("0 0 5 * * ?");

  // What belongs to no field of the form stands above them.
  await page.route("**/api/v1/jobs?*", async (route) => {
    if (route.request().method() !== "POST" || route.request().url().includes("dry_run")) return route.continue();
    await route.fulfill({
      status: 422,
      contentType: "application/problem+json",
      body: JSON.stringify({
        code: "invalid",
        errors: [
          { field: "body.weather", detail: "is too hot" },
          { field: "body.title", detail: "is too plain" },
        ],
      }),
    });
  });
  await create.click();
  await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  const top = page.locator("form [data-problem]");
  await expect(top).toContainText("is too hot");
  await expect(top).not.toContainText("is too plain");
  await checkAxe(page);
});

test("5b. other forms go the same way", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  const refused = async (path: string, begin: string, send: string, first: string, count: RegExp) => {
    await open(page, orth, path);
    await page.getByRole("button", { name: begin }).first().click();
    await expect(dialog.getByRole("alert")).toHaveCount(0);
    await dialog.getByRole("button", { name: send, exact: true }).click();
    await expect(dialog.getByRole("textbox", { name: first, exact: true })).toBeFocused();
    await expect(dialog.getByText(count)).toBeVisible();
    await page.keyboard.press("Escape");
  };
  await orth.api("POST", "/alarm/channels", {
    key: "hook",
    kind: "webhook",
    secrets: { url: "http://127.0.0.1:9/" },
  });
  await refused("/alarms/rules", "New rule", "Create", "Key", /2 fields need attention/);
  await refused("/alarms/channels", "New channel", "Create", "Key", /2 fields need attention/);
  await refused("/calendars", "New calendar", "Create", "Key", /2 fields need attention/);
  await refused("/secrets", "New secret", "Create", "Key", /2 fields need attention/);
  await refused("/users", "New user", "Create", "Name", /1 field needs attention/);
  await refused("/groups", "New group", "Create", "Key", /1 field needs attention/);
});

test("5c. a workflow that is refused shows the node at fault", async ({ signedIn: page, orth }) => {
  const step = (key: string) =>
    orth.api("POST", "/jobs", {
      key,
      group: "samples",
      schedule: { kind: "manual" },
      handler: { kind: "shell", source: "true\n" },
    });
  await step("flow-a");
  await step("flow-b");
  await open(page, orth, "/workflows/new");
  await page.getByRole("button", { name: "Check" }).click();
  await expect(page.getByRole("textbox", { name: "Key" })).toBeFocused();
  await page.getByRole("textbox", { name: "Key" }).fill("flow");
  await page.getByRole("button", { name: "Check" }).click();
  await expect(page.getByText("Add at least one job")).toBeVisible();

  for (const job of ["flow-a", "flow-b"]) {
    await page.getByRole("combobox", { name: "Add job" }).fill(job);
    await page.getByRole("option", { name: job }).first().click();
  }
  const job = page.getByRole("combobox", { name: "Job", exact: true });
  await expect(job).toHaveValue("flow-b");
  await job.fill("no-such-job");
  await page.keyboard.press("Tab");
  await page.locator(".react-flow__node").first().click();
  await expect(job).toHaveValue("flow-a");

  // The server alone knows that there is no such job: the fields of that node are shown, and its text view left.
  await page.getByRole("tab", { name: "Text" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(job).toHaveValue("no-such-job");
  await expect(job).toBeFocused();
  await expect(job).toHaveAttribute("aria-invalid", "true");
  await shoot(page, "form-workflow");
  await checkAxe(page);
});

test("6. the list says in which zone each schedule is", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs", {
    key: "zoned",
    group: "samples",
    schedule: { kind: "cron", cron: "0 30 2 * * ?", zone: "Europe/Berlin" },
    handler: { kind: "shell", source: "true\n" },
  });
  await open(page, orth, "/jobs?text=zoned");
  const note = page.getByRole("table", { name: "Jobs" }).getByText("0 30 2 * * ? · Europe/Berlin");
  await expect(note).toBeVisible();
  await shootAll(page, "jobs-zones");
  await note.hover();
  await expect(page.getByRole("tooltip")).toContainText("Times in Europe/Berlin (GMT");
  await shoot(page, "jobs-zone-tip");
});
