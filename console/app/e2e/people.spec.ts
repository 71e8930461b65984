import { person, signInAs } from "./people";
import { checkAxe, expect, type Page, password, shoot, shootAll, test, watchErrors } from "./server";

test.describe.configure({ timeout: 480_000 });

test("a person is made, changed, granted a role, given a password, disabled and deleted", async ({
  signedIn: page,
  orth,
}) => {
  const dialog = page.getByRole("dialog");
  await page.goto(`${orth.url}/console/users`);
  await expect(page.getByRole("link", { name: "admin", exact: true })).toBeVisible();

  await page.getByRole("button", { name: "New user" }).click();
  await dialog.getByLabel("Name", { exact: false }).first().fill("Ada");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText(/must be lower-case letters/)).toBeVisible();
  await dialog.getByLabel("Name", { exact: false }).first().fill("ada");
  await dialog.getByLabel("Display name").fill("Ada L.");
  await dialog.getByLabel("E-mail").fill("ada@example.com");
  await dialog.getByRole("button", { name: "Add role" }).click();
  await shootDialog(page, "user-create");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText("Hand it over now")).toBeVisible();
  expect((await dialog.locator("output").innerText()).trim()).toMatch(/^\S{20}$/);
  await shootDialog(page, "user-password");
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await expect(page).toHaveURL(/\/console\/users\/ada$/);
  await expect(page.getByText("Must change the password")).toBeVisible();

  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Display name").fill("Ada Lovelace");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Ada Lovelace").first()).toBeVisible();

  await page.getByRole("button", { name: "Edit" }).click();
  await expect(dialog.getByLabel("Display name")).toHaveValue("Ada Lovelace");
  await orth.api("PATCH", "/users/ada", { title: "Ada King" });
  await dialog.getByLabel("Display name").fill("Ada B.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText(/Someone else changed this/)).toBeVisible();
  await dialog.getByRole("button", { name: "Load their changes and keep my input" }).click();
  await expect(dialog.getByText(/You both changed:/)).toBeVisible();
  await expect(dialog.getByLabel("Display name")).toHaveValue("Ada B.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Ada B.").first()).toBeVisible();

  await page.getByRole("button", { name: "Grant role" }).click();
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: /Operator/ }).click();
  await checkAxe(page);
  await dialog.getByRole("button", { name: "Grant role" }).click();
  const grants = page.getByRole("table", { name: "Grants" });
  await expect(grants.getByText("Operator")).toBeVisible();
  await shootAll(page, "user");
  await grants.getByRole("button", { name: "Revoke: operator@default" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(grants.getByText("Operator")).toHaveCount(0);

  await page.getByRole("button", { name: "Reset password" }).click();
  await dialog.getByLabel("Password", { exact: false }).first().fill("short");
  await dialog.getByRole("button", { name: "Reset password" }).click();
  await expect(dialog.getByText(/10 to 128 characters/)).toBeVisible();
  await dialog.getByRole("button", { name: "Generate" }).click();
  await dialog.getByRole("checkbox", { name: /No change required/ }).check();
  await dialog.getByRole("button", { name: "Reset password" }).click();
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Disable" }).click();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();

  await page.goto(`${orth.url}/console/users?kind=user`);
  await page.getByRole("searchbox").fill("king example.com");
  await expect(page.getByRole("link", { name: "ada" })).toBeVisible();
  await expect(page.getByRole("link", { name: "admin", exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("link", { name: "admin", exact: true })).toBeVisible();
  await shootAll(page, "users");

  await page.getByRole("link", { name: "ada" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await checkAxe(page);
  await dialog.getByLabel(/Type ada/).fill("ada");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/console\/users$/);
  await expect(page.getByRole("link", { name: "ada" })).toHaveCount(0);
});

/** A dialog goes when the page is loaded anew: it is shot as it stands. */
async function shootDialog(page: Page, name: string): Promise<void> {
  await checkAxe(page);
  await shoot(page, `${name}-light`);
}

test("tokens of a service are made, narrowed, listed and revoked", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  await page.goto(`${orth.url}/console/users`);
  await page.getByRole("button", { name: "New user" }).click();
  await dialog.getByRole("radio", { name: /Service/ }).click();
  await dialog.getByLabel("Name", { exact: false }).first().fill("deploy");
  await expect(dialog.getByRole("textbox", { name: "Password" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/console\/users\/deploy$/);
  await expect(page.getByText("No tokens yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Reset password" })).toHaveCount(0);

  await page.getByRole("button", { name: "New token" }).click();
  await dialog.getByLabel("Label").fill("ci");
  await dialog.getByRole("radio", { name: /limited/ }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText(/without one the token has no rights/)).toBeVisible();
  await dialog.getByRole("button", { name: "Add role" }).click();
  await shootDialog(page, "token-create");
  await dialog.getByRole("button", { name: "Create" }).click();
  const secret = (await dialog.locator("output").innerText()).trim();
  expect(secret).toMatch(/^orth_\S+$/);
  await shootDialog(page, "token-made");
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  const tokens = page.getByRole("table", { name: "API tokens" });
  await expect(tokens.getByText("ci", { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain(secret);

  await page.goto(`${orth.url}/console/users?tab=tokens`);
  await expect(tokens.getByRole("link", { name: "deploy" })).toBeVisible();
  await shootAll(page, "tokens");
  await tokens.getByRole("button", { name: "Revoke ci" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(tokens.getByRole("link", { name: "deploy" })).toHaveCount(0);

  await page.goto(`${orth.url}/console/users?tab=roles`);
  await expect(page.getByRole("table", { name: "Roles" }).getByText("Scripter")).toBeVisible();
  await shootAll(page, "roles");
});

test("grants are given and taken in one list, and sessions ended", async ({ signedIn: page, orth, browser }) => {
  await person(orth, "grace", "viewer", "default");
  const other = await (await browser.newContext()).newPage();
  await signInAs(other, orth, "grace");
  const dialog = page.getByRole("dialog");
  await page.goto(`${orth.url}/console/users?tab=grants&user=grace`);
  const grants = page.getByRole("table", { name: "Grants" });
  await expect(grants.getByText("Viewer")).toBeVisible();
  await page.getByRole("button", { name: "Grant role" }).click();
  await dialog.getByRole("combobox", { name: "Name", exact: true }).fill("grace");
  await dialog.getByRole("combobox", { name: "Name", exact: true }).press("Enter");
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: /Editor/ }).click();
  await dialog.getByRole("button", { name: "Grant role" }).click();
  await expect(grants.getByText("Editor")).toBeVisible();
  await shootAll(page, "grants");
  await grants.getByRole("button", { name: "Revoke: grace editor@default" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(grants.getByText("Editor")).toHaveCount(0);

  await signInAs(other, orth, "grace");
  await page.goto(`${orth.url}/console/users/grace`);
  await page.getByRole("button", { name: "End all" }).click();
  await dialog.getByRole("button", { name: "End all" }).click();
  await expect(page.getByText("No sessions")).toBeVisible();
  await other.close();
});

test("somebody with the right to view sees no action that is not allowed", async ({ orth, browser }) => {
  await person(orth, "victor", "viewer", "default");
  await orth.api("POST", "/secrets", { key: "kept", value: "sk_live_2f9a7c31" });
  const page = await (await browser.newContext()).newPage();
  const errors = watchErrors(page);
  await signInAs(page, orth, "victor");
  const navigation = page.getByRole("navigation", { name: "Main navigation" });
  await expect(navigation.getByRole("link", { name: "Jobs" })).toBeVisible();
  await expect(navigation.getByRole("link", { name: "Users" })).toHaveCount(0);

  await page.goto(`${orth.url}/console/secrets`);
  await expect(page.getByRole("link", { name: "kept" })).toBeVisible();
  await expect(page.getByRole("button", { name: "New secret" })).toHaveCount(0);
  await page.goto(`${orth.url}/console/secrets/kept`);
  await expect(page.getByText("No job refers to it")).toBeVisible();
  for (const action of ["Delete", "Edit", "Set new value"]) {
    await expect(page.getByRole("button", { name: action })).toHaveCount(0);
  }
  await page.goto(`${orth.url}/console/users`);
  await expect(page.getByRole("tab", { name: "Roles" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Grants" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "New user" })).toHaveCount(0);
  await page.goto(`${orth.url}/console/users/admin`);
  await expect(page.getByText("You have no access to this page").first()).toBeVisible();
  await page.goto(`${orth.url}/console/me`);
  await expect(page.getByRole("table", { name: "Your rights" }).getByText("Viewer")).toBeVisible();
  await expect(page.getByRole("link", { name: "Edit name and e-mail" })).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.close();
});

test("one's own account: looks, password, sessions and tokens", async ({ orth, browser }) => {
  await person(orth, "mary", "owner", "default");
  const before = await (await browser.newContext()).newPage();
  await signInAs(before, orth, "mary");
  const page = await (await browser.newContext()).newPage();
  const errors = watchErrors(page);
  await signInAs(page, orth, "mary");
  await page.getByRole("button", { name: /^Account: mary/ }).click();
  await page.getByRole("menuitem", { name: "Your account" }).click();
  await expect(page).toHaveURL(/\/console\/me$/);
  const dialog = page.getByRole("dialog");
  const sessions = page.getByRole("table", { name: "Sessions" });
  await expect(sessions.getByText("Current session")).toBeVisible();
  await shootAll(page, "me");
  await page.getByRole("radio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("radio", { name: "Light" }).click();
  await page.getByRole("radio", { name: "繁體中文" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("我的帳戶");
  await page.getByRole("radio", { name: "English" }).click();

  await sessions
    .getByRole("button", { name: /^End session from/ })
    .first()
    .click();
  await expect(sessions.getByRole("button", { name: /^End session from/ })).toHaveCount(0);
  await signInAs(before, orth, "mary");
  await page.reload();
  await page.getByRole("button", { name: "End all others" }).click();
  await dialog.getByRole("button", { name: "End all others" }).click();
  await expect(page.getByRole("button", { name: "End all others" })).toHaveCount(0);

  await page.getByRole("button", { name: "New token" }).click();
  await dialog.getByLabel("Label").fill("laptop");
  await dialog.getByRole("combobox", { name: "Expires" }).click();
  await page.getByRole("option", { name: "never" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.locator("output")).toHaveText(/^orth_/);
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  const tokens = page.getByRole("table", { name: "API tokens" });
  await tokens.getByRole("button", { name: "Revoke laptop" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("No tokens yet")).toBeVisible();

  await page.getByRole("button", { name: "Change password" }).click();
  await checkAxe(page);
  await dialog.getByLabel("Current password").fill("not-this-password");
  await dialog.getByLabel("New password", { exact: true }).fill("another-horse-battery");
  await dialog.getByLabel("Repeat new password").fill("another-horse-battery");
  await dialog.getByRole("button", { name: "Change password" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Change password" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your account");
  expect(errors).toEqual([]);
  await before.close();
  await page.close();
});

test("a failed sign-in at the provider is told, and the program tells of itself", async ({
  signedIn: page,
  orth,
  browser,
}) => {
  const other = await (await browser.newContext()).newPage();
  for (const [code, told] of [
    ["denied", "The identity provider denied the sign-in"],
    ["expired", "The sign-in took too long"],
    ["not_allowed", "does not admit your account"],
    ["provider", "is unreachable"],
    ["something", "Sign-in with the identity provider failed"],
  ]) {
    await other.goto(`${orth.url}/console/sign-in?failed=${code}`);
    await expect(other.getByRole("alert")).toContainText(told ?? "");
  }
  await shootAll(other, "sign-in-failed");
  await other.close();

  await page.goto(`${orth.url}/console/`);
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "About Orth" }).click();
  await expect(page).toHaveURL(/\/console\/about$/);
  await expect(page.getByRole("link", { name: "Apache-2.0" })).toBeVisible();
  await expect(page.getByRole("link", { name: "API reference" })).toHaveAttribute("href", /\/api\/v1\/docs$/);
  await shootAll(page, "about");
});
