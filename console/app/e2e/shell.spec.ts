import { checkAxe, expect, setLook, shoot, shootAll, signIn, startServer, test, user, watchErrors } from "./server";

test("the first sign-in asks for another password", async ({ page }) => {
  const orth = await startServer(); // nobody has signed in to it
  const errors = watchErrors(page);
  await page.goto(`${orth.url}/console/jobs?ns=default`);
  await expect(page).toHaveURL(/\/console\/sign-in\?to=/);
  await shootAll(page, "sign-in");
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill("wrong-password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("Wrong user name or password");
  await checkAxe(page);
  await shoot(page, "sign-in-wrong");
  await page.getByLabel("Password").fill(orth.firstPassword);
  await page.getByLabel("Password").press("Enter");

  await expect(page.getByRole("heading", { name: "Choose a new password" })).toBeVisible();
  await page.getByLabel("Current password").fill(orth.firstPassword);
  await page.getByLabel("New password", { exact: true }).fill("short");
  await page.getByLabel("Repeat new password").fill("other");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("At least 10 characters")).toBeVisible();
  await checkAxe(page);
  await shoot(page, "change-password");
  await page.getByLabel("New password", { exact: true }).fill(orth.password);
  await page.getByLabel("Repeat new password").fill(orth.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page).toHaveURL(/\/console\/jobs\?ns=default/);
  expect(errors).toEqual([]);
  await orth.stop();
});

test("the dashboard tells what goes on", async ({ signedIn: page, orth }) => {
  await orth.api("POST", "/jobs/sample-go/trigger", {});
  await page.goto(`${orth.url}/console/`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
  await expect(page.getByRole("table", { name: "Firing within the hour" })).toBeVisible();
  await expect(page.getByRole("figure").first()).toBeVisible();
  await shootAll(page, "dashboard");
  await shoot(page, "dashboard-whole", true);
  await page.getByRole("radio", { name: "1 hour" }).click();
  await expect(page).toHaveURL(/range=1h/);
  await page.getByRole("button", { name: "Day, week or month" }).click();
  await page.getByRole("menuitemradio", { name: "Last month" }).click();
  await expect(page).toHaveURL(/range=last_month/);
  await expect(page.getByRole("button", { name: "Day, week or month: Last month" })).toBeVisible();
  await page.getByRole("button", { name: "Group: All groups" }).click();
  await page.getByRole("menuitemradio", { name: "samples" }).click();
  await expect(page).toHaveURL(/group=samples/);
  await checkAxe(page);
});

test("figures of the moment are live", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/`);
  const jobs = page.getByRole("region", { name: "Now" }).getByRole("link", { name: /^Jobs/ });
  await expect(jobs).toContainText(/\d/);
  const before = Number((await jobs.innerText()).match(/\d+/)?.[0]);
  await orth.api("POST", "/jobs", {
    key: "live-job",
    group: "samples",
    handler: { kind: "named", name: "sample" },
    schedule: { kind: "manual" },
  });
  await expect(jobs).toContainText(String(before + 1));
});

test("the palette and the keys lead everywhere", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox");
  await palette.fill("sample-go");
  await expect(page.getByRole("option", { name: /sample-go/ })).toBeVisible();
  await checkAxe(page);
  await shoot(page, "palette");
  await palette.press("Escape");
  await expect(palette).toBeHidden();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await checkAxe(page);
  await shoot(page, "shortcuts");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(/\/console\/groups/);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page).toHaveURL(/\/console\/(\?|$)/);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("calen");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/calendars/);
});

test("what is typed while the palette loads is what it looks for", async ({ signedIn: page, orth }) => {
  let release = () => {};
  const held = new Promise<void>((free) => {
    release = free;
  });
  await page.route(/\/Palette[-.][^/]*$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${orth.url}/console/timeline`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("nightly");
  release();
  await expect(page.getByRole("combobox", { name: /search/i })).toHaveValue("nightly");
  await expect(page).toHaveURL(/\/timeline/);
});

test("theme, language and namespace are the user's", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/`);
  const account = page.getByRole("button", { name: /^Account/ });
  await account.click();
  await shoot(page, "user-menu");
  await checkAxe(page);
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await account.click();
  await page.getByRole("menuitemradio", { name: "繁體中文" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("總覽");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-TW");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("總覽");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await setLook(page, "light", "en");
  await page.getByRole("button", { name: /^Namespace:/ }).click();
  await page.getByRole("menuitemradio", { name: "default" }).click();
  await expect(page).toHaveURL(/ns=default/);
  await page.getByRole("navigation").getByRole("link", { name: "Executors" }).click();
  await expect(page).toHaveURL(/groups\?.*ns=default/);
});

test("what cannot be shown is said in words", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/no/such/page`);
  await expect(page.getByText("Page not found").last()).toBeVisible();
  await shoot(page, "missing");
  await checkAxe(page);
  await page.goto(`${orth.url}/console/jobs/never-was`);
  await expect(page.getByRole("alert")).toHaveCount(1);
  await expect(page.getByText("Its revisions are kept")).toHaveCount(0);
  await page.goto(`${orth.url}/console/alarms/999999`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Alarm 999999");
  await page.goto(`${orth.url}/console/`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.route("**/api/v1/**", (route) => route.abort());
  await page.getByRole("radio", { name: "7 days" }).click();
  await expect(page.getByRole("status").getByText(/is unreachable/)).toBeVisible();
  await shoot(page, "offline");
  await checkAxe(page);
  await page.unroute("**/api/v1/**");
  await expect(page.getByRole("status").getByText(/is unreachable/)).toBeHidden();
});

test("who signs out is out", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/`);
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/sign-in/);
  await page.goto(`${orth.url}/console/runs`);
  await expect(page).toHaveURL(/sign-in\?to=/);
});

test("phones have all of it", async ({ signedIn: page, orth }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${orth.url}/console/`);
  await page.getByRole("button", { name: "Open navigation" }).click();
  await shoot(page, "phone-navigation");
  await checkAxe(page);
  const link = page.getByRole("navigation").getByRole("link", { name: "Executors" });
  await link.click();
  await expect(page).toHaveURL(/groups/);
  await expect(link).toBeHidden();
});

test("an empty installation shows the ways on", async ({ page }) => {
  const orth = await startServer("server");
  await signIn(page, orth);
  await page.goto(`${orth.url}/console/`);
  await expect(page.getByRole("heading", { name: "Welcome to Orth" })).toBeVisible();
  await expect(page.getByText(`orth executor --servers ${orth.url}`)).toBeVisible();
  await shootAll(page, "welcome");
  await orth.stop();
});
