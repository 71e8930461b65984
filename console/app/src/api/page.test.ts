import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepHiddenFor, whileInUse } from "./page";

class FakeDocument extends EventTarget {
  visibilityState = "visible";
  prerendering = false;
}

/** A page, and how often what it uses was begun less how often it was ended. */
function rig(before: Partial<FakeDocument> = {}) {
  const document = Object.assign(new FakeDocument(), before);
  const window = new EventTarget();
  let open = 0;
  const most = { open: 0 };
  const stop = whileInUse(
    () => {
      open += 1;
      most.open = Math.max(most.open, open);
    },
    () => {
      open -= 1;
    },
    { document, window },
  );
  const fire = (target: EventTarget, name: string) => target.dispatchEvent(new Event(name));
  const show = (state: "visible" | "hidden") => {
    document.visibilityState = state;
    fire(document, "visibilitychange");
  };
  return { document, window, stop, fire, show, open: () => open, most };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("whileInUse", () => {
  it("ends at once when the tab leaves the page, and begins when the page comes back out of the cache", () => {
    const r = rig();
    expect(r.open()).toBe(1);
    // The order of Chrome.
    r.fire(r.window, "pagehide");
    expect(r.open()).toBe(0);
    r.show("hidden");
    r.fire(r.document, "freeze");
    vi.advanceTimersByTime(60_000);
    expect(r.open()).toBe(0);
    r.fire(r.document, "resume");
    expect(r.open()).toBe(0);
    r.show("visible");
    r.fire(r.window, "pageshow");
    expect(r.open()).toBe(1);
  });

  it("begins when the page is visible before it says so", () => {
    const r = rig();
    r.fire(r.window, "pagehide");
    r.fire(r.window, "pageshow");
    expect(r.open()).toBe(1);
  });

  it("ends soon after the page is hidden, and not for a look at another tab", () => {
    const r = rig();
    r.show("hidden");
    vi.advanceTimersByTime(keepHiddenFor - 1);
    r.show("visible");
    vi.advanceTimersByTime(60_000);
    expect(r.open()).toBe(1);
    r.show("hidden");
    r.show("hidden");
    vi.advanceTimersByTime(keepHiddenFor);
    expect(r.open()).toBe(0);
    r.show("visible");
    expect(r.open()).toBe(1);
  });

  it("ends at once when a hidden page is frozen before its time", () => {
    const r = rig();
    r.show("hidden");
    r.fire(r.document, "freeze");
    expect(r.open()).toBe(0);
    vi.advanceTimersByTime(60_000);
    r.fire(r.document, "resume");
    expect(r.open()).toBe(0);
    r.show("visible");
    expect(r.open()).toBe(1);
  });

  it.each([
    ["a page that opens in the background", { visibilityState: "hidden" }],
    ["a page that is prerendered", { prerendering: true }],
  ])("does not begin in %s until it is shown", (_, before) => {
    const r = rig(before);
    vi.advanceTimersByTime(60_000);
    expect(r.open()).toBe(0);
    r.document.prerendering = false;
    r.document.visibilityState = "visible";
    r.fire(r.document, "prerenderingchange");
    r.fire(r.document, "visibilitychange");
    expect(r.open()).toBe(1);
  });

  it("ends for good", () => {
    const r = rig();
    r.show("hidden");
    r.stop();
    expect(r.open()).toBe(0);
    vi.advanceTimersByTime(60_000);
    r.show("visible");
    r.fire(r.window, "pageshow");
    expect(r.open()).toBe(0);
    expect(r.most.open).toBe(1);
  });
});
