import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Orth, type Page, signIn, test } from "./server";

// Chrome keeps the pages that a tab has left in its back/forward cache, and lets what they hold open go on. Playwright
// switches that cache off, and so has to be told not to. Vite keeps a WebSocket in each page, which browsers do not cache:
// these tests need the console that the server has.
test.skip(Boolean(process.env.ORTH_VITE), "pages that Vite serves are not kept in the back/forward cache");
test.describe.configure({ timeout: 480_000 });
test.use({
  launchOptions: {
    executablePath: "/usr/bin/chromium", // the whole browser, as people have it
    args: ["--no-sandbox"],
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  },
  // A page that waits for a connection waits for ever.
  navigationTimeout: 30_000,
});

/** Ten pages of all areas. Those of `run` follow its log. */
const pagesOf = (run: string) => [
  "/",
  "/runs",
  `/runs/${run}`,
  "/jobs",
  `/runs/${run}/log`,
  "/timeline",
  "/groups",
  `/runs/${run}`,
  "/alarms",
  "/",
];

/** A run that writes a line five times a second, for as long as a test takes. */
async function startTalking(orth: Orth, key: string): Promise<string> {
  const handler = { kind: "shell", source: 'for i in $(seq 1 3000); do echo "step $i"; sleep 0.2; done\n' };
  await orth.api("POST", "/jobs", { key, group: "samples", handler });
  return (await orth.api<{ id: string }>("POST", `/jobs/${key}/trigger`, {})).id;
}

/** How many streams the server holds open. */
const streamsOf = (orth: Orth) => orth.figure("orth_http_streams");

/** Notes in each page whether it came out of the back/forward cache. */
async function noteRestores(page: Page): Promise<void> {
  await page.addInitScript(() => {
    addEventListener("pageshow", (event) => {
      document.documentElement.dataset.restored = String(event.persisted);
    });
  });
}

const wasRestored = (page: Page) => page.evaluate(() => document.documentElement.dataset.restored === "true");

/** Waits until the page has read what it shows. */
async function expectRead(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

/** Expects that a run which begins now comes onto the list of runs, by the stream. */
async function expectLive(page: Page, orth: Orth): Promise<void> {
  const { id } = await orth.api<{ id: string }>("POST", "/jobs/sample-manual/trigger", {});
  await expect(page.getByRole("table", { name: "Runs" }).getByRole("link", { name: id, exact: true })).toBeVisible();
}

test("ten page loads in one tab leave no stream open, and the pages behind go on when they are shown again", async ({
  signedIn: page,
  orth,
}) => {
  await noteRestores(page);
  const paths = pagesOf(await startTalking(orth, "pages"));
  for (const path of paths) {
    await page.goto(`${orth.url}/console${path}`);
    await expectRead(page);
  }
  await expect.poll(() => streamsOf(orth), "streams of one page").toBeLessThanOrEqual(2);
  let restored = 0;
  for (const path of paths.slice(0, -1).reverse()) {
    await page.goBack({ waitUntil: "commit" });
    await expect(page).toHaveURL(`${orth.url}/console${path}`);
    await expectRead(page);
    if (await wasRestored(page)) restored++;
    if (path === "/runs") await expectLive(page, orth);
    if (path.endsWith("/log")) {
      const lines = page.getByText(/^step \d+$/);
      const last = await lines.last().innerText();
      await expect.poll(() => lines.last().innerText()).not.toBe(last);
    }
  }
  // The cache keeps six pages or so: without any the test would say nothing.
  expect(restored, "pages that came out of the back/forward cache").toBeGreaterThanOrEqual(5);
  for (const path of paths.slice(1, 4)) {
    await page.goForward({ waitUntil: "commit" });
    await expect(page).toHaveURL(`${orth.url}/console${path}`);
    await expectRead(page);
  }
});

test("a page that comes back after the user has signed out shows nothing any more", async ({ page, orth }) => {
  await noteRestores(page);
  await signIn(page, orth);
  await page.goto(`${orth.url}/console/runs`);
  await expectRead(page);
  await page.goto(`${orth.url}/console/jobs`);
  await expectRead(page);
  await page.context().clearCookies();
  await page.goBack({ waitUntil: "commit" });
  await expect(page).toHaveURL(/\/console\/sign-in/);
  // The way to the sign-in may still be under way, and ends a question to the page.
  await expect(async () => expect(await wasRestored(page)).toBe(true)).toPass({ timeout: 20_000 });
});

test("reads that a page waits for end when the tab leaves it", async ({ signedIn: page, orth }) => {
  // Before the server stands one that never answers for the figures of the dashboard.
  const waiting = new Set<ServerResponse>();
  const slow = createServer((asked, answer) => {
    if (asked.url?.startsWith("/api/v1/dashboard")) {
      waiting.add(answer);
      answer.on("close", () => waiting.delete(answer));
      return;
    }
    const { method, url, headers } = asked;
    const passed = request(orth.own + url, { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((listening) => slow.listen(0, "127.0.0.1", listening));
  const { port } = slow.address() as AddressInfo;
  for (let load = 0; load < 10; load++) {
    // The same address again would take the place of the page in the history, and not leave it.
    await page.goto(`http://127.0.0.1:${port}/console/?ns=n${load}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect.poll(() => waiting.size, `reads that wait after load ${load}`).toBe(1);
  }
  await page.goBack({ waitUntil: "commit" });
  await expect.poll(() => waiting.size, "reads that wait when the page is back").toBe(1);
  await page.goto("about:blank");
  slow.closeAllConnections();
  slow.close();
});

test("ten windows at once are all live and follow a log, with fewer streams than a browser has connections", async ({
  context,
  orth,
}) => {
  const run = await startTalking(orth, "windows");
  const windows: Page[] = [];
  for (let i = 0; i < 10; i++) {
    const page = await context.newPage();
    if (i === 0) await signIn(page, orth);
    await page.goto(`${orth.url}/console/runs/${run}`);
    await expectRead(page);
    windows.push(page);
  }
  // One for the events, and three that the logs take turns with.
  const few = () => expect.poll(() => streamsOf(orth), "streams of ten windows").toBeLessThanOrEqual(4);
  await few();
  const lines = windows.map((page) => page.getByText(/^step \d+$/).last());
  const before = await Promise.all(lines.map((line) => line.innerText()));
  for (const [i, line] of lines.entries()) {
    await expect.poll(() => line.innerText(), { message: `window ${i}`, timeout: 60_000 }).not.toBe(before[i]);
  }
  await few();
  await orth.api("POST", `/runs/${run}/cancel`, {});
  for (const page of windows) await expect(page.locator("h1 + *").getByText("Cancelled")).toBeVisible();
});
