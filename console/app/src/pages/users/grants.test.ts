import { describe, expect, it } from "vitest";
import { allows, type Grant } from "@/session/rights";
import { mayGive, rightsIn, sameGrant, textOfGrant } from "./grants";

const grant = (role: Grant["role"], namespace = "*", group = "*"): Grant => ({ role, namespace, group });

it.each([
  [grant("admin"), "admin"],
  [grant("owner", "shop"), "owner@shop"],
  [grant("editor", "shop", "mail"), "editor@shop/mail"],
])("%j is %s", (one, text) => expect(textOfGrant(one)).toBe(text));

it("knows a grant again", () => {
  expect(sameGrant(grant("owner", "shop"), grant("owner", "shop"))).toBe(true);
  expect(sameGrant(grant("owner", "shop"), grant("owner", "shop", "mail"))).toBe(false);
});

describe("mayGive", () => {
  it.each([
    [grant("owner", "shop"), grant("owner", "shop"), true],
    [grant("owner", "shop"), grant("viewer", "shop", "mail"), true],
    [grant("owner", "shop"), grant("viewer", "other"), false],
    [grant("owner", "shop"), grant("viewer"), false],
    [grant("owner", "shop", "mail"), grant("viewer", "shop"), false],
    [grant("owner", "shop"), grant("scripter", "shop"), false],
    [grant("owner", "shop"), grant("admin", "shop"), false],
    [grant("admin", "shop"), grant("scripter", "shop", "mail"), true],
    [grant("admin", "shop"), grant("admin"), false],
    [grant("admin"), grant("admin"), true],
    [grant("editor", "shop"), grant("viewer", "shop"), false],
  ])("who has %j gives %j: %s", (has, given, does) =>
    expect(mayGive((right, namespace, group) => allows({ grants: [has] }, right, namespace, group), given)).toBe(does),
  );
});

describe("rightsIn", () => {
  const grants = [grant("viewer", "shop"), grant("scripter", "shop", "mail")];
  it.each([
    ["shop", "*", ["view"]],
    ["shop", "mail", ["view", "script"]],
    ["other", "*", []],
  ])("%s/%s", (namespace, group, has) => expect(rightsIn(grants, namespace, group)).toEqual(has));
});
