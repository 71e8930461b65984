import { expect, it } from "vitest";
import { endSession, holdUnsaved, isSessionOver, resumeSession } from "./unsaved";

it("keeps a page for as long as something on it is unsaved", () => {
  expect(endSession()).toBe(false);
  expect(isSessionOver()).toBe(false);
  const one = holdUnsaved();
  const two = holdUnsaved();
  expect(endSession()).toBe(true);
  expect(isSessionOver()).toBe(true);
  resumeSession();
  expect(isSessionOver()).toBe(false);
  one();
  expect(endSession()).toBe(true);
  two();
  expect(endSession()).toBe(false);
  resumeSession();
});
