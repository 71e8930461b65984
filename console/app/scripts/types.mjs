// Makes src/api/schema.d.ts from the OpenAPI document. The document comes from the file or address
// that is given, else from a server that this starts on a free port with an empty data folder.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const out = new URL("../src/api/schema.d.ts", import.meta.url);
const root = new URL("../../..", import.meta.url).pathname;

async function document(source) {
  if (source?.startsWith("http")) return (await fetch(source)).json();
  if (source) return JSON.parse(readFileSync(source, "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "orth-types-"));
  const program = join(folder, process.platform === "win32" ? "orth.exe" : "orth");
  execFileSync("go", ["build", "-o", program, "./cmd/orth"], { cwd: root, stdio: "inherit" });
  const server = spawn(program, [
    "server",
    "--listen",
    "127.0.0.1:0",
    "--data",
    join(folder, "data"),
    "--no-first-user",
  ]);
  try {
    const address = await new Promise((found, fail) => {
      let said = "";
      server.stdout.on("data", (text) => {
        said += text;
        const match = said.match(/listens at (\S+)/);
        if (match) found(match[1]);
      });
      server.on("exit", () => fail(new Error(`the server ended: ${said}`)));
    });
    return await (await fetch(`${address}/api/v1/openapi.json`)).json();
  } finally {
    const ended = new Promise((end) => server.once("exit", end));
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

const types = astToString(
  await openapiTS(await document(process.argv.slice(2).find((word) => !word.startsWith("--")))),
);
const head = "// Made by scripts/types.mjs from the OpenAPI document. Do not edit.\n\n";
const text = head + types;
if (process.argv.includes("--check")) {
  if (readFileSync(out, "utf8") !== text) throw new Error("src/api/schema.d.ts is old: run npm run types");
} else {
  writeFileSync(out, text);
}
