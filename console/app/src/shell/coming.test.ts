import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shellWords } from "./words";

// The table in docs/console.md by which people of XXL-JOB find their way names pages, addresses and what is
// written on the pages: all of it has to be there.
const app = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../../docs/console.md", app), "utf8");
const section = page.slice(page.indexOf("## Coming from XXL-JOB"), page.indexOf("## Behind a proxy"));
const files = readdirSync(app, { recursive: true, encoding: "utf8" });
const sources = (name: RegExp) =>
  files.filter((file) => name.test(file)).map((file) => readFileSync(new URL(file.replaceAll("\\", "/"), app), "utf8"));
const found = (of: RegExp, text = section) => [...new Set([...text.matchAll(of)].map((match) => match[1] ?? ""))];
const plain = (text: string) => text.replace(/\s*…$/, "");

describe("coming from XXL-JOB", () => {
  it("names addresses that there are", () => {
    const known = sources(/pages[\\/][^\\/]+[\\/]route\.tsx$/).flatMap((text) => found(/path: "([^"]+)"/g, text));
    const named = found(/`(\/[^`]*)`/g);
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((one) => !known.includes(one))).toEqual([]);
  });
  it("names pages as the navigation does", () => {
    const known = Object.values(shellWords.entries).map(([english]) => english as string);
    const named = found(/\*\*([^*]+)\*\*/g);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((one) => !known.includes(one))).toEqual([]);
  });
  it("names actions and fields as the pages do", () => {
    const known = sources(/ords\.ts$/).flatMap((text) => found(/: \[\s*"((?:[^"\\]|\\.)+)"/g, text).map(plain));
    const named = found(/(?<!\*)\*([^*]+)\*(?!\*)/g);
    expect(named.length).toBeGreaterThan(40);
    expect(named.map(plain).filter((one) => !known.includes(one))).toEqual([]);
  });
});
