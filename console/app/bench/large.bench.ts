import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { type Orth, signIn, startServer } from "../e2e/server";

// How the console feels over a large database: times from what somebody does to what they see, the middle and the
// worst of ten, how long the page did not answer meanwhile, and how long the server took for each kind of question.
// It prints figures and judges none.

const times = 10;
const slow: { name: string; figures: string }[] = [];

type Measured = {
  name: string;
  before?: (page: Page) => Promise<void>;
  act: (page: Page) => Promise<void>;
  seen: (page: Page) => Promise<void>;
};

/** The longest time that the page took to draw its answer to a key or a click, as the browser counts it. */
async function watchInteractions(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const kept: number[] = [];
    Object.assign(window, { interactions: kept });
    type Timing = PerformanceEntry & { interactionId?: number };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ((entry as Timing).interactionId) kept.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
}

/** How long the API took to answer the page, by what was asked; pages behind the first one count as the same question. */
function watchAnswers(page: Page): Map<string, number[]> {
  const answers = new Map<string, number[]>();
  page.on("requestfinished", (request) => {
    const url = new URL(request.url());
    if (!url.pathname.startsWith("/api/v1/") || request.method() !== "GET") return;
    const { requestStart, responseEnd } = request.timing();
    if (responseEnd < 0) return;
    url.searchParams.delete("cursor");
    const asked = decodeURIComponent(url.pathname.replace("/api/v1", "") + url.search);
    answers.set(asked, [...(answers.get(asked) ?? []), responseEnd - requestStart]);
  });
  return answers;
}

/** Turns the wheel over a page, and tells how evenly it was drawn. */
async function scroll(page: Page): Promise<string> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let before = performance.now();
    const next = (now: number) => {
      frames.push(now - before);
      before = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    Object.assign(window, { frames });
  });
  await page.mouse.move(700, 500);
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i < 40 ? 300 : -600);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const late = frames.filter((one) => one > 50).length;
  return `${frames.length} frames, ${late} took over 50 ms, the longest ${Math.round(Math.max(...frames))} ms`;
}

async function measure(page: Page, one: Measured): Promise<void> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    await one.before?.(page);
    const began = performance.now();
    await one.act(page);
    await one.seen(page);
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  const at = (part: number) => Math.round(took[Math.min(times - 1, Math.floor(part * times))] ?? 0);
  slow.push({ name: one.name, figures: `${at(0.5)} ms, worst ${at(1)} ms` });
}

/** The rows of a table. One that loads shows eight: what waits for more sees those of the server. */
const rowsOf = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");
const settled = async (page: Page) => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);

test("the console over a large database", async ({ page }) => {
  const folder = process.env.ORTH_BENCH_DATA;
  const own = folder ?? mkdtempSync(join(tmpdir(), "orth-bench-"));
  const orth: Orth = await startServer("server", own);
  try {
    await watchInteractions(page);
    const answers = watchAnswers(page);
    await signIn(page, orth);
    const base = `${orth.url}/console`;
    const leave = async () => {
      await page.goto("about:blank");
    };
    await measure(page, {
      name: "the first page, from nothing in the cache of the page",
      before: leave,
      act: async () => void (await page.goto(`${base}/`)),
      seen: async () => {
        await expect(page.locator("h1")).toBeVisible();
        await settled(page);
      },
    });
    const nav = page.getByRole("navigation");
    const away = async () => {
      // A page that asks for little: what it still reads when it is left would be measured with the next one.
      await nav.getByRole("link", { name: "Calendars" }).click();
      await expect(page.locator("h1")).toHaveText("Calendars");
      await settled(page);
      await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
    };
    await measure(page, {
      name: "the list of jobs, from another page",
      before: away,
      act: async () => nav.getByRole("link", { name: "Jobs", exact: true }).click(),
      seen: async () => expect(rowsOf(page, "Jobs").nth(20)).toBeVisible(),
    });
    await measure(page, {
      name: "jobs by a word, once it is typed",
      before: async () => {
        await page.goto(`${base}/jobs`);
        await expect(rowsOf(page, "Jobs").nth(20)).toBeVisible();
      },
      act: async () => page.getByLabel("Key or title").fill("job-4999"),
      seen: async () => expect(rowsOf(page, "Jobs")).toHaveCount(1),
    });
    await measure(page, {
      name: "templates of all jobs, from another page",
      before: away,
      act: async () => nav.getByRole("link", { name: "Templates" }).click(),
      seen: async () => {
        await expect(page.locator("h1")).toHaveText("Templates");
        await settled(page);
      },
    });
    await measure(page, {
      name: "the list of runs, from another page",
      before: away,
      act: async () => nav.getByRole("link", { name: "Runs", exact: true }).click(),
      seen: async () => expect(rowsOf(page, "Runs").nth(20)).toBeVisible(),
    });
    await measure(page, {
      name: "failed runs",
      before: async () => {
        await page.goto(`${base}/runs`);
        await expect(rowsOf(page, "Runs").nth(20)).toBeVisible();
      },
      act: async () => void (await page.goto(`${base}/runs?state=failed`)),
      seen: async () => expect(rowsOf(page, "Runs").nth(10)).toBeVisible(),
    });
    await page.goto(`${base}/jobs`);
    await expect(rowsOf(page, "Jobs").nth(20)).toBeVisible();
    await page.evaluate(() => {
      (window as unknown as { interactions: number[] }).interactions.length = 0;
    });
    for (let i = 0; i < 30; i++) await page.keyboard.press("j");
    for (let i = 0; i < 5; i++) await page.keyboard.press("x");
    await page.getByRole("checkbox").nth(3).click();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("job-12");
    await page.keyboard.press("Escape");
    const drawn = await page.evaluate(() => (window as unknown as { interactions: number[] }).interactions);
    slow.push({
      name: "keys and clicks in the list of jobs",
      figures: `${drawn.length} took 16 ms or more, the longest ${Math.max(0, ...drawn)} ms`,
    });
    for (const list of ["Jobs", "Runs"]) {
      await page.goto(`${base}/${list.toLowerCase()}`);
      const rows = rowsOf(page, list);
      await expect(rows.nth(20)).toBeVisible();
      for (let more = 0; more < 9; more++) {
        const count = await rows.count();
        await page.getByRole("button", { name: "Show more" }).click();
        await expect(rows.nth(count)).toBeAttached();
      }
      slow.push({ name: `scrolling ${await rows.count()} ${list.toLowerCase()}`, figures: await scroll(page) });
    }
    for (const [asked, took] of [...answers].sort(([a], [b]) => (a < b ? -1 : 1))) {
      took.sort((a, b) => a - b);
      const middle = Math.round(took[Math.floor(took.length / 2)] ?? 0);
      slow.push({
        name: `GET ${asked}`,
        figures: `${middle} ms, worst ${Math.round(took.at(-1) ?? 0)} ms of ${took.length}`,
      });
    }
  } finally {
    await orth.stop();
    if (!folder) rmSync(own, { recursive: true, force: true });
  }
  const wide = Math.max(...slow.map((one) => one.name.length));
  console.log(slow.map((one) => `${one.name.padEnd(wide)}  ${one.figures}`).join("\n"));
});
