import { describe, expect, it } from "vitest";
import { browserOf, expiryAt, hasExpired, madePassword, narrowedUsers, stateOf, type Token, type User } from "./people";

const at = "2026-01-01T00:00:00Z";
const user = (name: string, more: Partial<User> = {}): User => ({
  id: name,
  name,
  kind: "user",
  disabled: false,
  external: false,
  must_change_password: false,
  grants: [],
  created_at: at,
  updated_at: at,
  ...more,
});

it("tells how users stand", () => {
  expect(stateOf(user("a"))).toBe("enabled");
  expect(stateOf(user("a", { must_change_password: true }))).toBe("locked");
  expect(stateOf(user("a", { must_change_password: true, disabled: true }))).toBe("disabled");
});

describe("narrowedUsers", () => {
  const all = [
    user("ada", {
      title: "Ada L.",
      email: "ada@example.com",
      grants: [{ role: "viewer", namespace: "*", group: "*" }],
    }),
    user("bob", { disabled: true, provided: [{ role: "viewer", namespace: "shop", group: "*" }] }),
    user("ci", { kind: "service", must_change_password: false }),
  ];
  it.each([
    [{}, ["ada", "bob", "ci"]],
    [{ text: "example ADA" }, ["ada"]],
    [{ kind: "service" }, ["ci"]],
    [{ state: "disabled" }, ["bob"]],
    [{ state: "enabled", kind: "user" }, ["ada"]],
    [{ role: "viewer" }, ["ada", "bob"]],
    [{ role: "admin" }, []],
  ] as const)("%j", (search, names) => expect(narrowedUsers(all, search).map((one) => one.name)).toEqual(names));
});

it("makes passwords that differ, without signs that look alike", () => {
  const made = new Set(Array.from({ length: 200 }, () => madePassword()));
  expect(made.size).toBe(200);
  for (const one of made) expect(one).toMatch(/^[a-km-np-zA-HJ-NP-Z2-9]{20}$/);
});

describe("expiryAt", () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ["never", "", undefined],
    ["30", "", "2026-01-31T00:00:00.000Z"],
    ["365", "", "2027-01-01T00:00:00.000Z"],
    ["custom", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00.000Z"],
    ["custom", "2025-12-31T00:00:00Z", null],
    ["custom", "", null],
  ] as const)("%s %j", (expiry, custom, instant) => expect(expiryAt(expiry, custom, now)).toBe(instant));
  it("knows what has expired", () => {
    const token: Token = { id: "1", key: "k", user: "ada", created_at: at };
    expect(hasExpired(token, now)).toBe(false);
    expect(hasExpired({ ...token, expires_at: "2025-12-31T23:59:59Z" }, now)).toBe(true);
    expect(hasExpired({ ...token, expires_at: "2026-01-01T00:00:01Z" }, now)).toBe(false);
  });
});

describe("browserOf", () => {
  it.each([
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
      "Chrome, Linux",
    ],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18 Safari/605", "Safari, macOS"],
    ["Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox, Android"],
    ["curl/8.5.0", "curl/8.5.0"],
    [undefined, ""],
  ])("%s", (agent, name) => expect(browserOf(agent)).toBe(name));
});
