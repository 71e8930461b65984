import { describe, expect, it } from "vitest";
import { bodyOf, type Channel, healthOf, type Setting, secretsPatch, valuesOf } from "./channel";

const field = (name: string, secret: boolean): Setting => ({ name, secret, needed: false });
const fields = [field("url", true), field("secret", true), field("method", false), field("body", false)];
const channel: Channel = {
  id: 1,
  key: "hook",
  kind: "webhook",
  enabled: true,
  language: "zh",
  settings: { method: "PUT", body: "{}\n" },
  secrets: ["url", "secret"],
  template: { title: "{{.Title}}" },
  created_at: "",
  updated_at: "",
  version: 3,
};

describe("bodyOf", () => {
  it("gives back what it was made of, and no secrets", () =>
    expect(bodyOf(valuesOf(channel), fields)).toEqual({
      key: "hook",
      kind: "webhook",
      enabled: true,
      language: "zh",
      settings: { method: "PUT", body: "{}\n" },
      template: { title: "{{.Title}}" },
    }));
  it("has what was typed for its kind alone", () => {
    const values = {
      ...valuesOf(),
      key: "a",
      settings: { host: "mail", method: " POST " },
      secrets: { url: "https://x " },
    };
    expect(bodyOf(values, fields)).toEqual({
      key: "a",
      kind: "webhook",
      enabled: true,
      language: "en",
      settings: { method: "POST" },
      secrets: { url: "https://x" },
    });
  });
  it("makes mails alone the default", () => {
    expect(bodyOf({ ...valuesOf(), isDefault: true }, []).default).toBeUndefined();
    expect(bodyOf({ ...valuesOf(), kind: "email", isDefault: true }, []).default).toBe(true);
  });
});

describe("secretsPatch", () => {
  it.each([
    [{}, [], undefined],
    [{ url: "" }, [], undefined],
    [{ url: "https://x" }, [], { url: "https://x" }],
    [{}, ["secret"], { secret: null }],
    [{ secret: "new" }, ["secret"], { secret: "new" }],
  ])("%j without %j", (secrets, dropped, patch) =>
    expect(secretsPatch({ ...valuesOf(channel), secrets, dropped }, fields)).toEqual(patch),
  );
});

describe("healthOf", () => {
  it.each([
    [{}, "unused"],
    [{ ok_at: "2026-01-01T00:00:00Z" }, "works"],
    [{ ok_at: "2026-01-01T00:00:00Z", failures: 2 }, "fails"],
  ] as const)("%j: %s", (part, health) => expect(healthOf({ ...channel, ...part })).toBe(health));
});
