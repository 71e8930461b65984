import { describe, expect, it } from "vitest";
import { keeps, labelOf, labelVariable, narrowed, reference, type Secret } from "./secret";

const at = "2026-01-01T00:00:00Z";
const secret = (key: string, title?: string, groups?: string[]): Secret => ({
  id: 1,
  namespace: "default",
  key,
  title,
  groups,
  version: 1,
  created_by: "ada",
  updated_by: "ada",
  created_at: at,
  updated_at: at,
  replaced_at: at,
});

it("writes references", () => {
  expect(reference("billing-api")).toBe("$" + "{secret:billing-api}");
  expect(reference("billing-api", "url")).toBe("$" + "{secret:billing-api|url}");
});

it("names the variables of labels", () => {
  expect(labelVariable("api-token")).toBe("ORTH_LABEL_API_TOKEN");
  expect(labelVariable("a.b")).toBe("ORTH_LABEL_A_B");
});

describe("narrowed", () => {
  const all = [
    secret("billing-api", "Pay"),
    secret("mail", "Server of mails", ["mail"]),
    secret("backup", undefined, ["files"]),
  ];
  it.each([
    ["", "", ["billing-api", "mail", "backup"]],
    ["PAY", "", ["billing-api"]],
    ["mails server", "", ["mail"]],
    ["", "mail", ["billing-api", "mail"]],
    ["none", "", []],
  ])("%j for %j", (text, group, keys) => expect(narrowed(all, text, group).map((one) => one.key)).toEqual(keys));
});

it.each([
  ["param", null],
  ["labels.token", "token"],
  ["labels.a.b", "a.b"],
])("%s is label %s", (field, label) => expect(labelOf(field)).toBe(label));

describe("keeps", () => {
  const ownerOf = (group: string) => (_: "own", __: string, asked: string) => asked === group;
  const whole = () => true;
  it.each([
    [ownerOf("a"), ["a"], true],
    [ownerOf("a"), ["a", "b"], false],
    [ownerOf("a"), [], false],
    [ownerOf("a"), undefined, false],
    [whole, undefined, true],
  ])("%#", (may, groups, does) => expect(keeps(may, "default", groups)).toBe(does));
});
