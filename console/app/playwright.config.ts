import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";

// Workers inherit it. Each run has its own folder, so that several may go on at the same time.
process.env.ORTH_E2E_OUT ??= process.env.CI ? "test-results" : mkdtempSync(join(tmpdir(), "orth-e2e-out-"));

/** The console in Debian's Chromium against the real server: each spec starts one of its own. */
export default defineConfig({
  testDir: "e2e",
  outputDir: process.env.ORTH_E2E_OUT,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  // A test waits for its server as often as for the browser.
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  globalSetup: "./e2e/build.ts",
  use: {
    // What cannot be done is told at once, and not when the time of the whole test is over.
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    viewport: { width: 1360, height: 860 },
    locale: "en-US",
    timezoneId: "Europe/Berlin",
    colorScheme: "light",
    // Drawing a film of each test takes longer than the tests. ORTH_TRACE=1 keeps those of what failed.
    trace: process.env.ORTH_TRACE ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.ORTH_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
  },
});
