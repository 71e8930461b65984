import { expect, it } from "vitest";
import { shortTime } from "./time";

it.each([
  ["3h0m0s", "3h"],
  ["5m0s", "5m"],
  ["1h30m0s", "1h30m"],
  ["1h0m5s", "1h0m5s"],
  ["10s", "10s"],
  ["100ms", "100ms"],
  ["0s", "0s"],
  ["never", "never"],
])("%s is %s", (text, short) => expect(shortTime(text)).toBe(short));
