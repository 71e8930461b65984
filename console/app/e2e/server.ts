import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, test as base, expect, type Page, type Response } from "@playwright/test";
import { binary } from "./build";

/** A server with an executor and sample jobs on ports of its own, and somebody who may do everything. */
export type Orth = {
  /** The address of the server. */
  url: string;
  /** Where executors find the server: before the address stands Vite when the console comes from its sources. */
  own: string;
  /** The first password that the server made. */
  firstPassword: string;
  /** The password after the first sign-in. */
  password: string;
  /** Calls the API as the server itself: for what a test needs and does not test. */
  api: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;
  /** A figure of the server's metrics, over all of its labels. */
  figure: (name: string) => Promise<number>;
  stop: () => Promise<void>;
};

export const user = "admin";
export const password = "correct-horse-battery";

/** A day of the week that is days away, for what must not begin while a test looks at it. */
export function anotherDay(): string {
  return ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"][(new Date().getUTCDay() + 3) % 7] ?? "SUN";
}

/**
 * Starts a server as [startOnce] does. Two that start at the same moment in two workers may choose the same port for
 * their executors; the one that comes late ends, and is started again.
 */
export async function startServer(command: "dev" | "server" = "dev", kept?: string): Promise<Orth> {
  for (let left = 3; ; left--) {
    try {
      return await startOnce(command, kept);
    } catch (error) {
      if (left === 1 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

/**
 * Starts `orth dev` with an empty data folder, or with one that is there and stays; with "server" there are no
 * executor and no jobs.
 */
async function startOnce(command: "dev" | "server", kept?: string): Promise<Orth> {
  const folder = mkdtempSync(join(tmpdir(), "orth-e2e-"));
  const data = kept ?? join(folder, "data");
  const first = join(data, "admin.password");
  const used = existsSync(join(data, "api.token")) && !existsSync(first);
  const server = spawn(binary, [command, "--data", data, "--listen", "127.0.0.1:0"], { cwd: folder });
  const own = await said(server, /(?:server\s+|listens at )(http\S+)/);
  const sources = process.env.ORTH_VITE ? await startVite(own) : null;
  const url = sources?.url ?? own;
  const token = readFileSync(join(data, "api.token"), "utf8").trim();
  return {
    url,
    own,
    // The file is gone from a folder that a test has used before: then the password is the one that it has set.
    firstPassword: used ? "" : await written(first),
    password,
    api: async (method, path, body) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    },
    figure: async (name) => {
      const answer = await fetch(`${own}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`metrics: ${answer.status} ${text}`);
      const values = [...text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)/gm)].filter(([, found]) => found === name);
      return values.reduce((sum, [, , value]) => sum + Number(value), 0);
    },
    stop: async () => {
      sources?.stop();
      const ended = new Promise((end) => server.once("exit", end));
      server.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Serves the console from its sources, before that server: ORTH_VITE=1 spares building it while it is written. */
async function startVite(server: string): Promise<{ url: string; stop: () => void }> {
  const vite = spawn("npx", ["vite", "--port", "0", "--host", "127.0.0.1"], {
    env: { ...process.env, ORTH_SERVER: server, NO_COLOR: "1" },
    detached: true,
  });
  const url = await said(vite, /Local:\s+(http:\/\/[^/]+)/);
  return { url, stop: () => process.kill(-(vite.pid ?? 0), "SIGTERM") };
}

/** The text of a file, once the server has written it. */
async function written(path: string): Promise<string> {
  await expect.poll(() => existsSync(path), { timeout: 20_000 }).toBe(true);
  return readFileSync(path, "utf8").trim();
}

function said(server: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((found, fail) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const match = text.match(pattern);
      if (match?.[1]) found(match[1]);
    };
    server.stdout?.on("data", read);
    server.stderr?.on("data", read);
    server.once("close", (code) => fail(new Error(`the server ended with ${code}: ${text}`)));
  });
}

/** The cookies of the first sign-in to each server: passwords are slow to check on purpose. */
const cookies = new WeakMap<Orth, Awaited<ReturnType<BrowserContext["cookies"]>>>();

/** Signs in with the first password and changes it, over the API; the session is in the page's cookies. */
export async function signIn(page: Page, orth: Orth): Promise<void> {
  const known = cookies.get(orth);
  if (known) {
    await page.context().addCookies(known);
    if ((await page.request.get(`${orth.url}/api/v1/session`)).ok()) return;
  }
  const headers = { Origin: orth.url };
  const begin = (word: string) =>
    page.request.post(`${orth.url}/api/v1/session`, { headers, data: { user, password: word } });
  if (!orth.firstPassword || known) {
    expect((await begin(orth.password)).ok()).toBe(true);
  } else {
    expect((await begin(orth.firstPassword)).ok()).toBe(true);
    const changed = await page.request.post(`${orth.url}/api/v1/session/password`, {
      headers,
      data: { old_password: orth.firstPassword, new_password: orth.password },
    });
    expect(changed.ok(), await changed.text()).toBe(true);
  }
  cookies.set(orth, await page.context().cookies());
}

/** Waits until the page is at rest: what is drawn pale until its answer comes is not judged half-faded. */
async function atRest(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect
    .poll(() => page.evaluate(() => document.getAnimations().filter((one) => one instanceof CSSTransition).length))
    .toBe(0);
}

/** Looks at the page with axe: WCAG 2.2 AA without a violation. With rules, for those alone. */
export async function checkAxe(page: Page, ...rules: string[]): Promise<void> {
  await atRest(page);
  // Without the blank page that it otherwise opens for each look, to join what frames of other origins say: none has one.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (rules.length > 0) axe.withRules(rules);
  else axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
  const found = await axe.analyze();
  const told = found.violations.map(
    (one) => `${one.id}: ${one.help}\n  ${one.nodes.map((node) => node.html).join("\n  ")}`,
  );
  expect(told, told.join("\n")).toEqual([]);
}

/** Keeps a picture in e2e/shots/. */
export async function shoot(page: Page, name: string, fullPage = false): Promise<void> {
  await page.screenshot({ path: `e2e/shots/${name}.png`, fullPage, animations: "disabled" });
}

/**
 * The looks that every page is shot in: light, on a phone, dark, and Chinese after a load of its address. The dark one
 * differs in its colours alone, so axe looks at those. A page that is wider than a phone fails, and one whose requests
 * are refused: it must not ask for what is not there. `expected` matches the refusals that belong to the page, each as
 * its status, a blank and its path.
 */
export async function shootAll(page: Page, name: string, expected?: RegExp): Promise<void> {
  const refused: string[] = [];
  const refusal = (answer: Response) => {
    const told = `${answer.status()} ${new URL(answer.url()).pathname}`;
    if (answer.status() >= 400 && !expected?.test(told)) refused.push(told);
  };
  page.on("response", refusal);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await shoot(page, `${name}-light`);
  await checkAxe(page);
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, `${name}-phone`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} scrolls sideways`).toBe(390);
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, `${name}-dark`);
  await checkAxe(page, "color-contrast");
  await page.emulateMedia({ colorScheme: "light" });
  await setLook(page, "system", "zh-CN");
  await shoot(page, `${name}-zh`);
  await setLook(page, "system", "en");
  page.off("response", refusal);
  expect(refused, `what ${name} asks for is refused`).toEqual([]);
}

/** Changes theme and language as the user menu does, and loads the page again. */
export async function setLook(
  page: Page,
  theme: "system" | "light" | "dark",
  language: "en" | "zh-CN" | "zh-TW",
): Promise<void> {
  await page.evaluate(
    ([theme, language]) => {
      localStorage.setItem("orth.theme", theme);
      localStorage.setItem("orth.language", language);
    },
    [theme, language] as const,
  );
  await page.reload();
  await page.waitForLoadState("domcontentloaded");
  await expect(page.locator("h1").first()).toBeAttached();
  // Until what loads is there; a page that streams is never idle.
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

/** Collects what must not happen on any page: errors of scripts, and what the content security policy stops. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  return errors;
}

type Fixtures = { orth: Orth; signedIn: Page };
type WorkerFixtures = { servers: (file: string) => Promise<Orth> };

/**
 * `orth` is one server for all tests of a file, whatever other files the worker has; `signedIn` is a page of somebody
 * who may do everything, at no address yet: `await signedIn.goto(`${orth.url}/console/jobs`)`. Errors of scripts fail
 * the test.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern.
    async ({}, use) => {
      let running: { file: string; orth: Orth } | undefined;
      await use(async (file) => {
        if (running?.file === file) return running.orth;
        await running?.orth.stop();
        running = undefined;
        running = { file, orth: await startServer() };
        return running.orth;
      });
      await running?.orth.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  orth: async ({ servers }, use, info) => use(await servers(info.file)),
  signedIn: async ({ page, orth }, use) => {
    const errors = watchErrors(page);
    await signIn(page, orth);
    await use(page);
    expect(errors).toEqual([]);
  },
});

export type { Page };
export { expect };
