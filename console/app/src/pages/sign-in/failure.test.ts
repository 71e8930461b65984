import { expect, it } from "vitest";
import { textIn } from "@/words";
import { failureOf } from "./failure";
import { signInWords } from "./words";

it.each([
  ["denied", "denied"],
  ["expired", "expired"],
  ["not_allowed", "not_allowed"],
  ["provider", "provider"],
  ["", "failedOther"],
  ["toString", "failedOther"],
])("%j is told as %s", (code, key) => {
  expect(failureOf(code)).toBe(key);
  expect(textIn(signInWords, "zh-TW", failureOf(code))).not.toBe(key);
});
