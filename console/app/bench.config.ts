import { defineConfig } from "@playwright/test";
import base from "./playwright.config";

/**
 * What `make console-bench` runs: not part of the tests, because times of a shared machine prove nothing. A trace
 * copies the whole page at each step, which would be most of what is measured.
 */
export default defineConfig({
  ...base,
  testDir: "bench",
  testMatch: "*.bench.ts",
  timeout: 900_000,
  use: { ...base.use, trace: "off" },
});
