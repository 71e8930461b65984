import { expect, test } from "./server";

test.describe.configure({ timeout: 240_000 });

test("while the server is away what was read and what was typed stays, and it goes on by itself", async ({
  signedIn: page,
  orth,
}) => {
  await orth.api("POST", "/jobs", {
    key: "away",
    title: "Before",
    group: "samples",
    handler: { kind: "shell", source: "sleep 600\n" },
  });
  await orth.api("PUT", "/workflows/away", { title: "Before", nodes: [{ name: "one", job: "away" }] });
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/away/trigger", {});
  const banner = page.getByRole("status").filter({ hasText: "The server is unreachable" });
  const leave = async () => {
    await page.context().setOffline(true);
    await expect(banner).toBeVisible({ timeout: 40_000 });
  };
  const comeBack = async () => {
    await page.context().setOffline(false);
    await expect(banner).toHaveCount(0);
  };

  const attempts = page.getByRole("table", { name: "Attempts" });
  await page.goto(`${orth.url}/console/runs/${id}`);
  await expect(attempts.getByText("Running")).toBeVisible();
  await leave();
  // It asks for the attempts at least once more while nobody answers.
  await page.waitForRequest(/\/attempts/);
  await page.waitForEvent("requestfailed", (request) => request.url().includes("/attempts"));
  await expect(attempts.getByText("Running")).toBeVisible();
  await comeBack();
  await expect(attempts.getByText("Running")).toBeVisible();

  for (const [path, button] of [
    ["/workflows/away/edit", "Save"],
    ["/jobs/away/edit", "Save changes"],
  ] as const) {
    await page.goto(`${orth.url}/console${path}`);
    const title = page.getByLabel("Title", { exact: true });
    await title.fill(`typed at ${path}`);
    await leave();
    await page.getByRole("button", { name: button, exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("The server is unreachable");
    if (path.startsWith("/jobs")) {
      // Somebody else is faster meanwhile.
      await orth.api("PATCH", "/jobs/away", { param: "theirs" });
    }
    await page.context().setOffline(false);
    await banner
      .getByRole("button")
      .click({ timeout: 2_000 })
      .catch(() => undefined);
    await expect(banner).toHaveCount(0);
    await expect(title).toHaveValue(`typed at ${path}`);
    await page.getByRole("button", { name: button, exact: true }).click();
    if (path.startsWith("/jobs")) await expect(page.getByRole("dialog")).toContainText("theirs");
    else await expect(page).toHaveURL(/\/workflows\/away(\?|$)/);
  }
  expect((await orth.api<{ title: string }>("GET", "/workflows/away")).title).toBe("typed at /workflows/away/edit");
});
