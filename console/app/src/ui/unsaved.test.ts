import { expect, it } from "vitest";
import { endSession, hold, resumeSession, sessionOver } from "./unsaved";

it("keeps a page for as long as something on it is unsaved", () => {
  expect(endSession()).toBe(false);
  expect(sessionOver()).toBe(false);
  const one = hold();
  const two = hold();
  expect(endSession()).toBe(true);
  expect(sessionOver()).toBe(true);
  resumeSession();
  expect(sessionOver()).toBe(false);
  one();
  expect(endSession()).toBe(true);
  two();
  expect(endSession()).toBe(false);
  resumeSession();
});
