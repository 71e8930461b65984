import { expect, type Orth, type Page, password } from "./server";

/** A person with a password that need not be changed, and a role in the groups of a namespace. */
export async function person(orth: Orth, name: string, role: string, namespace: string, group = "*"): Promise<void> {
  await orth.api("POST", "/users", { name, kind: "user", password, grants: [{ role, namespace, group }] });
  await orth.api("PUT", `/users/${name}/password`, { password, final: true });
}

/** Signs in by the page, as people do. */
export async function signInAs(page: Page, orth: Orth, name: string): Promise<void> {
  await page.goto(`${orth.url}/console/sign-in`);
  await page.getByLabel("User").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/console\/$/);
}
