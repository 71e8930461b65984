// Packs dist/ into ../dist.zip, the same bytes for the same files: names sorted, times fixed, deflated by zlib
// at its highest level. The server embeds it and hands out the deflated bytes as they are. The comment of the
// archive is the digest of the sources, which a Go test compares with the sources that it sees.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const out = fileURLToPath(new URL("../../dist.zip", import.meta.url));
const app = fileURLToPath(new URL("..", import.meta.url));

function filesIn(folder) {
  return readdirSync(folder)
    .filter((name) => name !== ".vite")
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesIn(path) : [path];
    });
}

// digestOfSources is the SHA-256 of what the bundle is made of: for each file, in the order of their paths, its
// path, a line feed, its length in bytes, a line feed and its bytes.
function digestOfSources() {
  const sources = ["src", "public"]
    .flatMap((folder) => filesIn(join(app, folder)))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .concat(["index.html", "package-lock.json", "package.json", "vite.config.ts"].map((name) => join(app, name)))
    .map((path) => relative(app, path).split(sep).join("/"))
    .sort();
  const hash = createHash("sha256");
  for (const path of sources) {
    const data = readFileSync(join(app, path));
    hash.update(`${path}\n${data.length}\n`).update(data);
  }
  return hash.digest("hex");
}

const names = filesIn(dist)
  .map((path) => relative(dist, path).split(sep).join("/"))
  .sort();
const time = 0;
const date = (0 << 9) | (1 << 5) | 1; // 1 January 1980, the first day of the format

function fields(entry) {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0); // version needed
  head.writeUInt16LE(0x0800, 2); // names are UTF-8
  head.writeUInt16LE(entry.method, 4);
  head.writeUInt16LE(time, 6);
  head.writeUInt16LE(date, 8);
  head.writeUInt32LE(entry.crc, 10);
  head.writeUInt32LE(entry.packed.length, 14);
  head.writeUInt32LE(entry.size, 18);
  head.writeUInt16LE(entry.name.length, 22);
  return head;
}

const parts = [];
const directory = [];
let offset = 0;
for (const name of names) {
  const data = readFileSync(join(dist, name));
  const entry = {
    name: Buffer.from(name),
    crc: crc32(data),
    size: data.length,
    method: 8,
    packed: deflateRawSync(data, { level: 9 }),
  };
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields(entry), entry.name, entry.packed]);
  const central = Buffer.alloc(14);
  central.writeUInt32LE(offset, 10);
  directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields(entry), central, entry.name]));
  parts.push(local);
  offset += local.length;
}
const listing = Buffer.concat(directory);
const comment = Buffer.from(`sources ${digestOfSources()}`);
const end = Buffer.alloc(22);
end.write("PK\x05\x06", "latin1");
end.writeUInt16LE(names.length, 8);
end.writeUInt16LE(names.length, 10);
end.writeUInt32LE(listing.length, 12);
end.writeUInt32LE(offset, 16);
end.writeUInt16LE(comment.length, 20);
const zip = Buffer.concat([...parts, listing, end, comment]);
if (process.argv.includes("--check")) {
  if (!readFileSync(out).equals(zip))
    throw new Error("console/dist.zip is not what the sources build: run make console");
  console.log("console/dist.zip is what the sources build");
} else {
  writeFileSync(out, zip);
  console.log(`console/dist.zip: ${names.length} files, ${(zip.length / 1024).toFixed(0)} KiB`);
}
