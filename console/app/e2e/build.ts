import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Where the binary under test is: ORTH_BINARY, or what this builds from the sources. */
export const binary = process.env.ORTH_BINARY ?? fileURLToPath(new URL("../node_modules/.cache/orth", import.meta.url));

/** Builds the server once for all specs. It has in it the console of console/dist.zip: build that first. */
export default function build(): void {
  if (process.env.ORTH_BINARY) return;
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  execFileSync("go", ["build", "-o", binary, "./cmd/orth"], { cwd: root, stdio: "inherit" });
}
