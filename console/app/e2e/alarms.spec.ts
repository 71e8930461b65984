import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { anotherDay, expect, type Orth, type Page, shootAll, test } from "./server";

test.describe.configure({ timeout: 300_000 });

type Got = { url: string; body: string; delivery: string };

/** A webhook that keeps what it gets. What comes to /away is refused. */
async function receiver() {
  const got: Got[] = [];
  const server = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      got.push({ url: request.url ?? "", body, delivery: String(request.headers["orth-delivery"] ?? "") });
      answer.statusCode = request.url === "/away" ? 400 : 200;
      answer.end(request.url === "/away" ? "go away" : "thanks");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { got, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

async function hook(orth: Orth, key: string, url: string) {
  await orth.api("POST", "/alarm/channels", { key, kind: "webhook", secrets: { url } });
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole("dialog").getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: new RegExp(`^${option}`) }).click();
  await page.keyboard.press("Escape");
}

const go = (page: Page, orth: Orth, part = "") => page.goto(`${orth.url}/console/alarms${part}`);

test("a failing job is told through a channel and a rule made by hand", async ({ signedIn: page, orth }) => {
  const hooked = await receiver();
  const dialog = page.getByRole("dialog");
  await go(page, orth);
  await expect(page.getByText("No alarms", { exact: true })).toBeVisible();
  await go(page, orth, "/messages");
  await expect(page.getByText("No messages yet")).toBeVisible();
  await go(page, orth, "/rules");
  await expect(page.getByText("No rules yet")).toBeVisible();

  // A channel: refused at its field, tested before it is made, and tested again.
  await go(page, orth, "/channels");
  await expect(page.getByText("No channels yet")).toBeVisible();
  await page.getByRole("button", { name: "New channel" }).first().click();
  await dialog.getByRole("textbox", { name: "Key", exact: true }).fill("ops");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await dialog.getByLabel("URL").fill(`${hooked.url}/hook`);
  await dialog.getByRole("button", { name: "Send test" }).click();
  await expect(dialog.getByText(/^Delivered/)).toBeVisible();
  expect(JSON.parse(hooked.got[0]?.body ?? "{}").test).toBe(true);
  await shootAll(page, "alarm-channel-form");
  await dialog.getByRole("textbox", { name: "Key", exact: true }).fill("ops");
  await dialog.getByLabel("URL").fill(`${hooked.url}/hook`);
  await dialog.getByRole("button", { name: "Insert a short example" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Send test" }).click();
  await dialog.getByRole("button", { name: "Send test" }).click();
  await expect(dialog.getByText(/^Delivered/)).toBeVisible();
  await dialog.locator("footer").getByRole("button", { name: "Close" }).click();

  // A rule: its sentence follows what is chosen.
  await go(page, orth, "/rules?new=1");
  await dialog.getByRole("textbox", { name: "Key", exact: true }).fill("bad-ends");
  await dialog.getByRole("checkbox", { name: "Slow" }).check();
  await choose(page, "Channels", "ops");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await dialog.getByLabel("Longer than").fill("5m");
  await dialog.getByLabel("Initial delay").fill("1s");
  await dialog.getByRole("combobox", { name: "Combine alarms" }).click();
  await page.getByRole("option", { name: "by job" }).click();
  await dialog.getByRole("button", { name: "Add step" }).click();
  await dialog.getByRole("textbox", { name: "After", exact: true }).fill("30m");
  await choose(page, "also notify", "ops");
  await expect(
    dialog.getByText(/takes longer than 5m: notify ops\. Also on recovery\. If not acknowledged after 30m/),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/When a run fails, a run times out/)).toBeVisible();
  await shootAll(page, "alarm-rules");
  await go(page, orth, "/rules?edit=bad-ends");
  await expect(dialog.getByText(/Matches \d+ jobs now/)).toBeVisible();
  await shootAll(page, "alarm-rule-form");

  // It fires.
  await orth.api("POST", "/jobs", {
    key: "boom",
    group: "samples",
    handler: { kind: "shell", source: "echo no disk\nexit 3\n" },
  });
  await orth.api("POST", "/jobs/boom/trigger", {});
  await expect.poll(() => hooked.got.filter((one) => one.body.includes("boom")).length, { timeout: 60_000 }).toBe(1);
  const told = JSON.parse(hooked.got.find((one) => one.body.includes("boom"))?.body ?? "{}");
  expect(told).toMatchObject({ state: "firing", rule: "bad-ends", test: false });
  await go(page, orth, "/messages");
  await expect(page.getByText("Delivered").first()).toBeVisible();
  await shootAll(page, "alarm-messages");
  await go(page, orth);
  await expect(page.getByRole("link", { name: "boom" })).toBeVisible();
  await shootAll(page, "alarms");
  await page.getByRole("row", { name: /boom/ }).getByRole("link").first().click();
  await expect(page.getByRole("heading", { name: /^Alarm \d+/ })).toBeVisible();
  await expect(page.getByRole("table", { name: "Events" }).getByRole("row")).toHaveCount(2);
  await shootAll(page, "alarm");
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expect(page.getByText("Acknowledged by admin")).toBeVisible();
  hooked.stop();
});

test("a message that was given up shows why, and is sent again", async ({ signedIn: page, orth }) => {
  const hooked = await receiver();
  const dialog = page.getByRole("dialog");
  await hook(orth, "away", `${hooked.url}/away`);
  await orth.api("POST", "/alarm/rules", {
    key: "refused",
    kinds: ["failed"],
    channels: ["away"],
    wait: "1s",
    scope: { jobs: ["bang"] },
  });
  await orth.api("POST", "/jobs", {
    key: "bang",
    group: "samples",
    handler: { kind: "shell", source: "exit 4\n" },
  });
  await orth.api("POST", "/jobs/bang/trigger", {});
  await go(page, orth, "/messages?rule=refused&status=failed");
  await expect(page.getByRole("row", { name: /Failed/ })).toBeVisible({ timeout: 60_000 });
  await page.getByRole("cell", { name: /Failed/ }).click();
  await expect(dialog.getByText(/400/)).toBeVisible();
  const before = hooked.got.length;
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expect.poll(() => hooked.got.length, { timeout: 60_000 }).toBe(before + 1);
  await go(page, orth, "/channels");
  await expect(page.getByText(/^Failed \d/).first()).toBeVisible();
  await shootAll(page, "alarm-channels");

  // Notes of several, from the list.
  await go(page, orth, "?state=firing&rule=refused");
  await page.getByRole("checkbox", { name: /Select row/ }).check();
  await page.getByRole("button", { name: "Acknowledge 1" }).click();
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expect(page.getByText(/Acknowledged by/).first()).toBeVisible();
  hooked.stop();
});

test("rules and channels are changed, copied, disabled and deleted", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  await hook(orth, "spare", "https://example.com/hook");
  await orth.api("POST", "/alarm/rules", {
    key: "waiting",
    kinds: ["backlog"],
    channels: ["spare"],
    scope: { groups: ["samples"] },
  });
  await go(page, orth, "/rules?edit=waiting");
  await expect(dialog.getByText(/Matches 1 group now/)).toBeVisible();
  await dialog.getByLabel("Title").fill("Too many wait");
  // Somebody else is faster.
  await orth.api("PATCH", "/alarm/rules/waiting", { severity: "critical" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Load their changes and keep my input" }).click();
  await expect(dialog.getByRole("combobox", { name: "Severity" })).toHaveText("Critical");
  await expect(dialog.getByLabel("Title")).toHaveValue("Too many wait");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Too many wait")).toBeVisible();

  await page.getByRole("switch", { name: "Enable waiting" }).click();
  await expect(page.getByText("waiting disabled").first()).toBeVisible();
  await page.getByRole("button", { name: "Actions for waiting" }).click();
  await page.getByRole("menuitem", { name: "Copy …" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("link", { name: "waiting-copy" })).toBeVisible();
  await page.getByRole("button", { name: "Actions for waiting-copy" }).click();
  await page.getByRole("menuitem", { name: "Delete …" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("link", { name: "waiting-copy" })).toBeHidden();

  await go(page, orth, "/channels?edit=spare");
  await expect(dialog.getByPlaceholder("Set. Leave empty to keep it.").first()).toBeVisible();
  await expect(dialog.getByText("example.com/hook")).toHaveCount(0);
  await dialog.getByLabel("Messages per minute").fill("5");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  const kept = await orth.api<{ secrets: string[]; per_minute: number }>("GET", "/alarm/channels/spare");
  expect(kept).toMatchObject({ secrets: ["url"], per_minute: 5 });
  await page.getByRole("switch", { name: "Enable spare" }).click();
  await expect(page.getByText("spare disabled").first()).toBeVisible();
  const remove = async () => {
    await page.getByRole("button", { name: "Actions for spare" }).click();
    await page.getByRole("menuitem", { name: "Delete …" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
  };
  await remove();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await orth.api("DELETE", "/alarm/rules/waiting");
  await remove();
  await expect(page.getByRole("button", { name: "Actions for spare" })).toBeHidden();
});

test("silences begin, come again, end and go", async ({ signedIn: page, orth }) => {
  const dialog = page.getByRole("dialog");
  await go(page, orth, "/silences");
  await expect(page.getByText("No silences")).toBeVisible();
  await page.getByRole("button", { name: "New silence" }).first().click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await dialog.getByLabel("Reason").fill("moving the database");
  await dialog.getByRole("button", { name: "4 h", exact: true }).click();
  await dialog.getByRole("combobox", { name: "Groups" }).fill("samples");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("row", { name: /Active.*moving the database.*groups samples/ })).toBeVisible();
  await page.getByRole("button", { name: "New maintenance window" }).click();
  await dialog.getByLabel("Reason").fill("weekly");
  await dialog.getByRole("textbox", { name: "Starts" }).fill(`0 0 2 ? * ${anotherDay()}`);
  await expect(dialog.getByRole("listitem").first()).toBeVisible();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("row", { name: /Upcoming.*weekly/ })).toBeVisible();
  await shootAll(page, "alarm-silences");
  await page
    .getByRole("row", { name: /moving/ })
    .getByRole("button", { name: "End now" })
    .click();
  await dialog.getByRole("button", { name: "End now" }).click();
  await expect(page.getByRole("row", { name: /Over.*moving/ })).toBeVisible();
  await page
    .getByRole("row", { name: /moving/ })
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Duplicate …" }).click();
  await expect(dialog.getByLabel("Reason")).toHaveValue("moving the database");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page
    .getByRole("row", { name: /weekly/ })
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Delete …" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("row", { name: /weekly/ })).toBeHidden();
});
