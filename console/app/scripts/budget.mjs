// Fails when the first page loads more JavaScript than it may: what the entry and the pages behind the first
// address import, compressed.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const limit = 200 * 1024;
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));
const first = ["index.html", "src/shell/Layout.tsx", "src/pages/dashboard/DashboardPage.tsx"];

const files = new Set();
function add(name) {
  const chunk = manifest[name];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const imported of chunk.imports ?? []) add(imported);
}
for (const name of first) {
  if (!manifest[name]) throw new Error(`budget: ${name} is no part of the bundle any more`);
  add(name);
}

let total = 0;
for (const file of files) total += gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;
const said = `first load: ${(total / 1024).toFixed(1)} KiB of ${limit / 1024} KiB JavaScript (gzip) in ${files.size} files`;
if (total > limit) throw new Error(`${said}: load something later`);
console.log(said);
