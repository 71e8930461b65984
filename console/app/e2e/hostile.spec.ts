import { expect, type Orth, type Page, test } from "./server";

// Texts that run in a browser when a page takes them for markup: in every field that people and executors can fill.
// None may open a dialog, load anything, break the content security policy or be anything but text.

test.describe.configure({ timeout: 240_000 });

const mark = '"><img src=x onerror=alert(1)>';
const script = "</textarea></script><script>alert(2)</script>{{7*7}}";
const odd = "\u2028\u202Eevil\u202C";

/** Puts hostile texts into everything that has one, and returns the runs. */
async function poison(orth: Orth): Promise<{ run: string; workflowRun: string }> {
  const job = (key: string, source: string, more: object = {}) =>
    orth.api("POST", "/jobs", {
      key,
      title: mark + script,
      group: "samples",
      handler: { kind: "shell", source },
      param: script + mark,
      labels: { note: mark },
      ...more,
    });
  const source = `# ${script}\ncat <<'END'\n${script}\n${mark}\n\u001b[31m<b onclick=alert(3)>red</b>\u001b[0m\n${odd}\nEND\necho '${mark}' >&2\nexit 3\n`;
  await job("hostile", source);
  await orth.api("PUT", "/workflows/hostile", {
    title: mark + script,
    nodes: [{ name: "a", job: "hostile", param: mark }],
  });
  await orth
    .api("PUT", "/calendars/hostile", { title: mark, exclude: [{ name: script, dates: ["2031-01-01"] }] })
    .catch(() => undefined);
  await orth.api("POST", "/users", { name: "mallory", title: mark + script }).catch(() => undefined);
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/hostile/trigger", { param: mark + script });
  await expect
    .poll(async () => (await orth.api<{ final: boolean }>("GET", `/runs/${id}`)).final, { timeout: 60_000 })
    .toBe(true);
  const { id: workflowRun } = await orth.api<{ id: string }>("POST", "/workflows/hostile/runs", { param: mark });
  return { run: id, workflowRun };
}

/** Collects what must not happen. */
function guard(page: Page): string[] {
  const seen: string[] = [];
  page.on("dialog", (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (/\/x$|\/x\?/.test(request.url())) seen.push(`a request: ${request.url()}`);
  });
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) seen.push(message.text());
  });
  return seen;
}

test("hostile texts stay texts on every page", async ({ signedIn: page, orth }) => {
  const { run, workflowRun } = await poison(orth);
  const seen = guard(page);
  for (const path of [
    "/",
    "/jobs?text=hostile",
    "/jobs/hostile",
    "/jobs/hostile?tab=history",
    "/jobs/hostile/edit",
    "/jobs/hostile/code",
    "/jobs/hostile/history",
    "/runs",
    `/runs/${run}`,
    `/runs/${run}/log`,
    "/dead-letters",
    `/dead-letters/${run}`,
    "/workflows",
    "/workflows/hostile",
    "/workflows/hostile/edit",
    `/workflow-runs/${workflowRun}`,
    "/calendars",
    "/users",
    "/audit",
    "/groups",
    "/alarms",
    "/templates",
    `/jobs?text=${encodeURIComponent(mark + script)}`,
    `/runs?label=${encodeURIComponent(mark)}`,
    `/jobs/${encodeURIComponent(mark)}`,
    `/nothing/${encodeURIComponent(script)}`,
  ]) {
    await test.step(path, async () => {
      await page.goto(`${orth.url}/console${path}`);
      await expect(page.locator("h1").first()).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      expect(await page.locator('img[src="x"], [onerror], [onclick]').count(), path).toBe(0);
      expect(seen, path).toEqual([]);
    });
  }
});

test("a log and a title are shown as they are written", async ({ signedIn: page, orth }) => {
  const jobs = await orth.api<{ jobs: { key: string }[] }>("GET", "/jobs?text=hostile");
  if (jobs.jobs.length === 0) await poison(orth);
  const seen = guard(page);
  await page.goto(`${orth.url}/console/jobs/hostile`);
  await expect(page.getByText(mark + script).first()).toBeVisible();
  const { runs } = await orth.api<{ runs: { id: string }[] }>("GET", "/runs?job=hostile&limit=1");
  await page.goto(`${orth.url}/console/runs/${runs[0]?.id}/log`);
  await expect(page.getByText("</textarea></script><script>alert(2)</script>").first()).toBeVisible();
  await expect(page.getByText("<b onclick=alert(3)>red</b>").first()).toBeVisible();
  expect(seen).toEqual([]);
});
