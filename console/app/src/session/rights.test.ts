import { describe, expect, it } from "vitest";
import { allows, type Grant, spaceOf } from "./rights";

const grant = (role: Grant["role"], namespace: string, group: string): Grant => ({ role, namespace, group });

describe("allows", () => {
  const editor = { grants: [grant("editor", "shop", "billing"), grant("viewer", "shop", "*")] };
  it.each([
    ["edit", "shop", "billing", true],
    ["edit", "shop", "mail", false],
    ["view", "shop", "mail", true],
    ["view", "other", "mail", false],
    ["script", "shop", "billing", false],
    ["edit", undefined, undefined, true],
    ["admin", undefined, undefined, false],
  ] as const)("%s in %s/%s: %s", (right, namespace, group, may) =>
    expect(allows(editor, right, namespace, group)).toBe(may),
  );
  it("lets administrators do everything", () =>
    expect(allows({ grants: [grant("admin", "*", "*")] }, "script", "any", "any")).toBe(true));
  it("takes a token's limits", () => {
    const token = { grants: [grant("admin", "*", "*")], limits: [grant("viewer", "shop", "*")] };
    expect(allows(token, "view", "shop")).toBe(true);
    expect(allows(token, "operate", "shop")).toBe(false);
    expect(allows(token, "view", "other")).toBe(false);
  });
});

describe("spaceOf", () => {
  it.each([
    ["all", [grant("editor", "*", "*")], "default"],
    ["several", [grant("editor", "zoo", "*"), grant("editor", "shop", "billing"), grant("viewer", "ant", "*")], "shop"],
    ["the default one too", [grant("editor", "shop", "*"), grant("editor", "default", "samples")], "default"],
    ["none", [grant("viewer", "shop", "*")], "default"],
  ] as const)("who may edit in %s", (_, grants, want) => expect(spaceOf({ grants }, "edit")).toBe(want));
  it("looks into a token's limits", () => {
    const token = { grants: [grant("owner", "*", "*")], limits: [grant("editor", "shop", "*")] };
    expect(spaceOf(token, "edit")).toBe("shop");
  });
});
