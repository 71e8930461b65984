import { describe, expect, it } from "vitest";
import { type Language, textIn } from "@/words";
import { bodyOf, needs, type Rule, usual, valuesOf } from "./rule";
import { sentenceOf } from "./sentence";
import { ruleWords } from "./words";

const full = {
  key: "nightly",
  title: "Nights",
  enabled: false,
  kinds: ["streak", "slow"],
  severity: "critical",
  scope: { jobs: ["billing-*"], groups: ["reports"], labels: { team: "*" } },
  count: 4,
  longer: "5m",
  factor: 1.5,
  channels: ["ops"],
  recovered: true,
  group_by: "job",
  wait: "1s",
  interval: "10m",
  repeat: "never",
  escalation: [{ after: "30m", channels: ["boss", "phone"] }],
} satisfies Partial<Rule>;

describe("bodyOf", () => {
  it("gives back what it was made of", () => expect(bodyOf(valuesOf(full))).toEqual(full));
  it("leaves to the server what is not said", () =>
    expect(bodyOf({ ...valuesOf(), key: " a ", channels: ["ops"] })).toEqual({
      key: "a",
      enabled: true,
      kinds: ["failed", "timed_out", "lost"],
      severity: "warning",
      channels: ["ops"],
      group_by: "group",
      recovered: true,
    }));
  it("drops numbers of kinds that are not chosen", () => {
    const body = bodyOf({ ...valuesOf(full), kinds: ["failed"] });
    expect(body).not.toHaveProperty("count");
    expect(body).not.toHaveProperty("longer");
  });
  it("leaves what is no number for the server to refuse", () => {
    const values = valuesOf(full);
    expect(bodyOf({ ...values, numbers: { ...values.numbers, count: "many" } }).count).toBe("many");
  });
});

describe("needs", () => {
  it.each([
    ["count", ["failed"], false, ""],
    ["count", ["failed", "backlog"], true, "1000"],
    ["count", ["streak"], true, "3"],
    ["for", ["group_down"], true, "2m"],
    ["longer", ["slow"], true, ""],
  ] as const)("%s of %j: %s", (name, kinds, need, left) => {
    expect(needs(name, kinds)).toBe(need);
    expect(usual(name, kinds)).toBe(left);
  });
});

describe("sentenceOf", () => {
  const said = (rule: Parameters<typeof sentenceOf>[0], language: Language) =>
    sentenceOf(rule, (key, values) => textIn(ruleWords, language, key, values), language);
  it.each([
    ["en", "When a run fails or a run is lost: notify ops."],
    ["zh-CN", "运行失败或运行失联时，通知 ops。"],
    ["zh-TW", "執行失敗或執行失聯時，通知 ops。"],
  ] as const)("speaks %s", (language, sentence) =>
    expect(said({ kinds: ["failed", "lost"], channels: ["ops"] }, language)).toBe(sentence),
  );
  it("says all of it", () =>
    expect(said(full, "en")).toBe(
      "When 4 runs fail in a row or an attempt takes longer than 5m / an attempt takes longer than 1.5 times " +
        "the usual (jobs billing-* · groups reports · labels team=*): notify ops. Also on recovery. " +
        "If not acknowledged after 30m, also boss and phone.",
    ));
  it("has the defaults of the server", () =>
    expect(said({ kinds: ["backlog"], channels: [] }, "en")).toBe(
      "When 1000 runs of a group have waited for 2m: notify no channel.",
    ));
});
