import { person, signInAs } from "./people";
import { checkAxe, expect, type Orth, type Page, shoot, shootAll, test, watchErrors } from "./server";

test.describe.configure({ mode: "serial", timeout: 240_000 });

type Run = { state: string; param?: string };

const state = async (orth: Orth, id: string) => (await orth.api<Run>("GET", `/runs/${id}`)).state;
/** The id of the run whose page is shown. */
async function shownRun(page: Page): Promise<string> {
  await expect(page).toHaveURL(/\/console\/runs\/\d+/);
  return page.url().match(/runs\/(\d+)/)?.[1] ?? "";
}

test("an editor writes the inputs of a job, by keyboard, and reads at the field what is wrong", async ({
  signedIn: page,
  orth,
}) => {
  await page.goto(`${orth.url}/console/jobs/new?group=samples`);
  await page.getByLabel("Key *").fill("close-day");
  await page.getByRole("radiogroup", { name: "Schedule" }).getByText("Manual", { exact: true }).click();
  await page.getByRole("radiogroup", { name: "Run mode" }).getByText("Command", { exact: true }).click();
  await page.getByRole("textbox", { name: "Program" }).fill("sh");
  const script = 'echo "day $1 in $2"; test "$1" != 2000-01-01';
  const args = page.getByLabel("Arguments");
  await args.fill(["-c", script, "close", "${input:day}", "${input:region}"].join("\n"));

  // Without the mouse: the focus goes into each row that comes.
  const add = page.getByRole("button", { name: "Add input" });
  await add.focus();
  await page.keyboard.press("Enter");
  const day = page.getByRole("group", { name: /^(input 1|day)$/i });
  await expect(day.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("Day");
  await page.keyboard.press("Tab");
  await expect(day.getByLabel("Type")).toBeFocused();
  await expect(day.getByRole("alert")).toContainText("lower-case letters");
  await day.getByLabel("Name").fill("day");
  await expect(day.getByRole("alert")).toHaveCount(0);
  await expect(day.getByRole("checkbox", { name: "Required" })).toBeChecked();
  await expect(day.getByLabel("Default")).toBeDisabled();
  await day.getByLabel("Pattern").fill("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  await day.getByLabel("Description").fill("the day to close");

  await add.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("region");
  const region = page.getByRole("group", { name: "region", exact: true });
  await region.getByRole("checkbox", { name: "Required" }).uncheck();
  for (const value of ["eu", "us"]) {
    await region.getByLabel("Allowed values").fill(value);
    await page.keyboard.press("Enter");
  }
  await region.getByLabel("Default").fill("cn");
  await page.getByRole("button", { name: "Create job" }).click();
  // The server says it; the page shows it at the field of the row.
  await expect(region.getByRole("alert")).toContainText('"cn" is no value of region: use one of eu, us');
  await expect(region.getByLabel("Default")).toHaveAttribute("aria-invalid", "true");
  await region.getByLabel("Default").fill("eu");

  // An input that stands nowhere in the parameter belongs to its row.
  await add.click();
  await page.keyboard.type("spare");
  await page.getByRole("button", { name: "Create job" }).click();
  const spare = page.getByRole("group", { name: "spare", exact: true });
  await expect(spare.getByRole("alert")).toContainText("spare is not used");
  await checkAxe(page);
  await shoot(page, "form-inputs", true);
  await page.getByRole("button", { name: "Remove input 3" }).focus();
  await page.keyboard.press("Enter");
  await expect(add).toBeFocused();

  await page.getByRole("button", { name: "Create job" }).click();
  await expect(page.getByRole("heading", { name: "close-day" })).toBeVisible();
  const { inputs } = await orth.api<{ inputs: unknown }>("GET", "/jobs/close-day");
  expect(inputs).toEqual([
    { name: "day", description: "the day to close", pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}" },
    { name: "region", default: "eu", options: ["eu", "us"] },
  ]);
  await expect(page.getByText("day, region=eu")).toBeVisible();

  await page.goto(`${orth.url}/console/jobs/close-day/edit`);
  await expect(page.getByRole("group", { name: "day", exact: true }).getByLabel("Description")).toHaveValue(
    "the day to close",
  );
  await expect(page.getByText("No changes")).toBeVisible();
});

test("an operator gives values, and nothing else of the parameter", async ({ orth, browser }) => {
  await orth.api("POST", "/jobs", {
    key: "fixed",
    group: "samples",
    handler: { kind: "named", name: "commandJobHandler" },
    param: '["true"]',
  });
  const fixed = await orth.api<{ id: string }>("POST", "/jobs/fixed/trigger", {});
  await expect.poll(() => state(orth, fixed.id)).toBe("succeeded");
  await person(orth, "inputs-operator", "operator", "default", "samples");
  const page = await (await browser.newContext()).newPage();
  const errors = watchErrors(page);
  await signInAs(page, orth, "inputs-operator");
  const dialog = page.getByRole("dialog");
  const day = dialog.getByLabel("day");

  await page.goto(`${orth.url}/console/jobs?text=close-day`);
  await page.getByRole("button", { name: "Trigger close-day" }).click();
  await expect(dialog.getByText("the day to close")).toBeVisible();
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(day).toBeFocused();
  await expect(dialog.getByRole("alert")).toHaveText("Required");
  await day.fill("today");
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText('"today" is no value of day: all of it must match');
  await expect(day).toHaveAttribute("aria-invalid", "true");
  await expect(day).toBeFocused();
  await checkAxe(page);
  await shoot(page, "run-inputs");
  await day.fill("2030-01-31");
  await dialog.getByRole("button", { name: "Trigger", exact: true }).click();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const first = await shownRun(page);
  await expect.poll(() => state(orth, first)).toBe("succeeded");
  await expect(page.getByText("day 2030-01-31 in eu").first()).toBeVisible();
  await expect(page.getByText('"2030-01-31"').first()).toBeVisible();
  await shootAll(page, "run-with-inputs");

  // Again: the fields have the values of that run.
  await page.getByRole("button", { name: "Rerun" }).click();
  await expect(day).toHaveValue("2030-01-31");
  await expect(dialog.getByRole("radiogroup")).toHaveCount(0);
  await dialog.getByRole("combobox", { name: "region" }).click();
  await page.getByRole("option", { name: "us", exact: true }).click();
  await day.fill("2000-01-01");
  await dialog.getByRole("button", { name: "Rerun" }).click();
  await expect(page).not.toHaveURL(new RegExp(`/runs/${first}$`));
  const second = await shownRun(page);
  await expect.poll(() => state(orth, second)).toBe("failed");
  expect(JSON.parse((await orth.api<Run>("GET", `/runs/${second}`)).param ?? "")).toEqual({
    day: "2000-01-01",
    region: "us",
  });

  await page.goto(`${orth.url}/console/dead-letters/${second}`);
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await expect(day).toHaveValue("2000-01-01");
  await day.fill("x");
  await dialog.getByRole("button", { name: "Retry dead letter", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText('"x" is no value of day');
  await day.fill("2030-02-01");
  await dialog.getByRole("button", { name: "Retry dead letter", exact: true }).click();
  const third = await shownRun(page);
  await expect.poll(() => state(orth, third)).toBe("succeeded");
  await expect(page.getByText("day 2030-02-01 in us").first()).toBeVisible();

  // What says what is executed and has no inputs runs again as it did.
  await page.goto(`${orth.url}/console/runs/${fixed.id}`);
  await page.getByRole("button", { name: "Rerun" }).click();
  await expect(dialog.getByRole("radio", { name: /Different parameter/ })).toBeDisabled();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(errors).toEqual([]);
  await page.close();
});
