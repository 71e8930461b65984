import { expect, type Orth, setLook, shootAll, test } from "./server";

test.describe.configure({ timeout: 240_000 });
test.use({ actionTimeout: 15_000 });

async function seed(orth: Orth): Promise<void> {
  const job = (key: string, source: string) =>
    orth.api("POST", "/jobs", { key, group: "samples", handler: { kind: "shell", source } }).catch(() => undefined);
  await job("step-a", "sleep 1; echo a\n");
  await job("step-b", "sleep 2; echo b\n");
  await job("step-bad", "exit 3\n");
  await job("step-long", "sleep 600\n");
  await orth.api("PUT", "/workflows/lengthy", { nodes: [{ name: "wait", job: "step-long" }] });
  await orth.api("PUT", "/workflows/nightly", {
    title: "The nightly load",
    nodes: [
      { name: "extract", job: "step-a" },
      { name: "clean", job: "step-b", after: [{ node: "extract" }] },
      { name: "check", job: "step-bad", after: [{ node: "extract" }] },
      { name: "load", job: "step-a", after: [{ node: "clean" }, { node: "check" }] },
    ],
  });
}

test("workflows are listed, looked at and started; their runs are resumed and cancelled", async ({
  signedIn: page,
  orth,
}) => {
  await seed(orth);
  await page.goto(`${orth.url}/console/workflows`);
  await expect(page.getByRole("link", { name: "nightly", exact: true })).toBeVisible();
  await shootAll(page, "workflows");
  await page.goto(`${orth.url}/console/workflows/nightly`);
  await expect(page.locator(".react-flow__node")).toHaveCount(4);
  await shootAll(page, "workflow");
  await setLook(page, "system", "zh-TW");
  await expect(page.getByRole("button", { name: "顯示全圖" })).toBeVisible();
  await expect(page.getByText("按 Enter 或空白鍵選擇節點，按 Esc 取消選擇。")).toBeAttached();
  await setLook(page, "system", "en");
  await page.getByRole("tab", { name: "Text" }).click();
  await expect(page.getByText('"extract"').first()).toBeVisible();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Trigger" }).click();
  await dialog.getByRole("textbox", { name: "Parameter" }).fill('{"day":1}');
  await dialog.getByRole("button", { name: "Trigger" }).click();
  await expect(page).toHaveURL(/workflow-runs\/\d+/);
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible({ timeout: 30_000 });
  await page.getByRole("table", { name: "Nodes" }).getByText("check", { exact: true }).click();
  await expect(page.getByRole("link", { name: "Open run" })).toBeVisible();
  await shootAll(page, "workflow-run");
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(dialog.getByText("check, load")).toBeVisible();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("Resumed 1×")).toBeVisible();

  const run = await orth.api<{ id: string }>("POST", "/workflows/lengthy/runs", {});
  await page.goto(`${orth.url}/console/workflow-runs/${run.id}`);
  await page.getByRole("button", { name: "Cancel run", exact: true }).click();
  await dialog.getByRole("button", { name: "Cancel run", exact: true }).click();
  await expect(page.getByText(/^(Cancelled|Cancelling)$/).first()).toBeVisible();
  await page.goto(`${orth.url}/console/workflows/lengthy?view=runs`);
  await expect(page.getByRole("link", { name: run.id, exact: true })).toBeVisible();
});

test("a workflow is drawn and saved", async ({ signedIn: page, orth }) => {
  await seed(orth);
  await page.goto(`${orth.url}/console/workflows/new`);
  await page.getByLabel("Key").fill("drawn");
  for (const job of ["step-a", "step-b"]) {
    await page.getByRole("combobox", { name: "Add job" }).fill(job);
    await page.getByRole("option", { name: job }).first().click();
  }
  await expect(page.locator(".react-flow__node")).toHaveCount(2);
  await page.getByRole("combobox", { name: "Add dependency" }).click();
  await page.getByRole("option", { name: "step-a" }).click();
  await page.getByRole("combobox", { name: "Condition step-a" }).click();
  await page.getByRole("option", { name: "on failure" }).click();
  await expect(page.locator(".react-flow__edge")).toHaveCount(1);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(/\/workflows\/drawn/);
  await expect(page.getByText("step-a (on failure)")).toBeVisible();
});

test("saving a workflow does not overwrite another's change", async ({ signedIn: page, orth }) => {
  await seed(orth);
  await page.goto(`${orth.url}/console/workflows/nightly/edit`);
  await expect(page.locator(".react-flow__node")).toHaveCount(4);
  await shootAll(page, "workflow-edit");
  await page.getByLabel("Title").fill("Mine");
  await page.getByRole("button", { name: "Check" }).click();
  await expect(page.getByText("Valid").first()).toBeVisible();
  await orth.api("PUT", "/workflows/nightly", { title: "Theirs", nodes: [{ name: "extract", job: "step-a" }] });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert").getByRole("button", { name: "Use theirs" })).toBeVisible();
  await page.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Mine" })).toBeVisible();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type nightly to confirm").fill("nightly");
  await dialog.getByRole("button", { name: "Delete workflow" }).click();
  await expect(page).toHaveURL(/\/console\/workflows(\?.*)?$/);
});
