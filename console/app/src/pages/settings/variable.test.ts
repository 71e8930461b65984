import { expect, it } from "vitest";
import { variable } from "./variable";

it.each([
  ["listen", "ORTH_LISTEN"],
  ["lease-ttl", "ORTH_LEASE_TTL"],
])("%s is %s", (name, shown) => expect(variable(name)).toBe(shown));
