import { describe, expect, it } from "vitest";
import chinese from "../../../../../internal/reason/testdata/chinese.json";
import list from "../../../../../testdata/reasons.json";
import { patternOf, reasonIn } from "./reason";
import { reasons } from "./reasons";
import { moment } from "./sentence";
import { reasonWords, valueWords } from "./words";

/** Gaps and verbs alike, and what is left out: the words between them stay. */
const bones = (text: string) =>
  text
    .replace(/%[dgqsvw]|\{\w+\}/g, "{}")
    .replaceAll("%%", "%")
    .replace(/(\{\})+/g, "{}");

/** The English of all reasons, without and within what may be missing. */
const english = reasons.flatMap(([text]) => [
  bones(text.replace(/\[[^\]]*\]/g, "{}")),
  bones(text.replace(/\[([^\]]*)\]/g, "$1")),
]);

/** Values of placeholders in reasons, and server texts that are not reasons. */
const others = new Set([
  "%q is unknown; use one of %v",
  " is the last administrator of the whole server",
  "%d more",
  "%d of %d",
  "%s%d (run %d %s%s)",
  ", and %d more",
  "more than %d",
  "a call that is under way has ended",
  "all %d executors are left alone, %s too,",
  "timed out",
  "was lost",
  "was not ready",
  "… [cut]",
  "… [cut: for the rest see the log, 'orth run log %d']",
]);

const zh = (text: string) => reasonIn(text, "Europe/Berlin", "zh-CN").text;

describe("the reasons of the server", () => {
  it.each(list.filter((text) => !others.has(text)))("%s has Chinese", (text) => {
    const wanted = bones(text);
    expect(english.some((one) => one.includes(wanted.replace(/^\{\}|\{\}$/g, "")))).toBe(true);
  });
  it.each([...others])("%s is still said", (text) => expect(list).toContain(text));
  it.each(reasons.map((one) => [...one]))(
    "%s has its gaps in Chinese, and its parts in their order",
    (own, ...chinese) => {
      const gaps = (text: string) => [...new Set(text.match(/\{\w+\}/g))].filter((gap) => !/\{(verb|have)\}/.test(gap));
      const parts = (text: string) => (text.match(/\[[^\]]*\]/g) ?? []).map((part) => gaps(part).sort());
      for (const text of chinese) {
        expect(gaps(text).sort()).toEqual(gaps(own).sort());
        expect(parts(text)).toEqual(parts(own));
      }
    },
  );
  it.each(reasons.map((one) => [...one]))("%s is recognised as itself", (own, hans) => {
    const plain = (text: string, counted: string) =>
      text
        .replace(/\[[^\]]*\]/g, "")
        .replace(/\{(firings|runs)\}/g, counted)
        .replace(/\{\w+\}/g, "7");
    if (/^\{\w+\}/.test(own)) return expect(patternOf(own).pattern.test(plain(own, "7 runs"))).toBe(true);
    expect(zh(plain(own, "7 runs"))).toBe(plain(hans, "7 次运行"));
  });
});

/** What the server's own texts of alarms are tested with too; times stand in angles. */
const cases = (chinese as [string, string][]).map(([text, want]) => [
  text,
  want.replace(/<(.*?)>/g, (_, at: string) => moment(at, "Europe/Berlin") ?? at),
]);

describe("reasonIn", () => {
  it.each(cases)("%s", (text, want) => {
    expect(reasonIn(text, "Europe/Berlin", "zh-CN")).toEqual({ text: want, lang: "zh-CN" });
    expect(reasonIn(text, "Europe/Berlin", "zh-TW").lang).toBe("zh-TW");
    expect(reasonIn(text, "Europe/Berlin", "en")).toEqual({ text, lang: undefined });
  });
  it.each([
    "wrong month",
    "exit status 3",
    "",
    "维护 [x] {run}",
    "the deadline was missed",
    `covered by run ${"7".repeat(3_000)}`,
  ])("leaves what people and programs say: %s", (text) =>
    expect(reasonIn(text, "UTC", "zh-CN")).toEqual({ text, lang: undefined }),
  );
  it("has words for each count and choice in both scripts", () => {
    for (const [key, triple] of [...Object.entries(reasonWords.entries), ...Object.entries(valueWords.entries)])
      expect(triple.every(Boolean), key).toBe(true);
  });
});
