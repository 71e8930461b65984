import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Claimed, Slots, slotFor } from "./slots";

/** So many who want a slot of three, and who has one now. */
function rig(n: number, most = 3) {
  const slots = new Slots(most);
  const has = new Set<number>();
  const claims = Array.from({ length: n }, (_, i) => {
    const claimed = slots.claim(
      () => has.add(i),
      () => {
        has.delete(i);
        queueMicrotask(() => claimed.closed());
      },
    );
    return claimed;
  });
  const free = (i: number) => {
    claims[i]?.free();
    has.delete(i);
  };
  return { has, free };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Slots", () => {
  it("leaves slots to those who have them while nobody waits", () => {
    const { has } = rig(3);
    vi.advanceTimersByTime(100 * slotFor);
    expect([...has]).toEqual([0, 1, 2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives a slot that is free to who waits longest", () => {
    const { has, free } = rig(5);
    free(1);
    expect([...has]).toEqual([0, 2, 3]);
    free(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([4, 5, 7, 10, 30])("lets %i take turns, three at a time", async (n) => {
    const { has } = rig(n);
    const turns = new Array<number>(n).fill(0);
    const rounds = 4 * n;
    for (let round = 0; round < rounds; round++) {
      expect(has.size).toBe(3);
      for (const i of has) turns[i] = (turns[i] ?? 0) + 1;
      await vi.advanceTimersByTimeAsync(slotFor);
    }
    const fair = (3 * rounds) / n;
    for (const [i, had] of turns.entries()) expect(Math.abs(had - fair), `claim ${i} of ${n}`).toBeLessThanOrEqual(3);
  });

  it("waits until a connection is closed", () => {
    const slots = new Slots(1);
    const told: string[] = [];
    const note = (who: string) =>
      slots.claim(
        () => told.push(`+${who}`),
        () => told.push(`-${who}`),
      );
    const a = note("a");
    const b = note("b");
    vi.advanceTimersByTime(10 * slotFor);
    expect(told).toEqual(["+a", "-a"]);
    a.closed();
    a.closed();
    expect(told).toEqual(["+a", "-a", "+b"]);
    vi.advanceTimersByTime(slotFor);
    b.free();
    expect(told).toEqual(["+a", "-a", "+b", "-b", "+a"]);
  });

  it("never has more connections open than there are slots, whoever comes and goes", () => {
    const slots = new Slots(2);
    /** Who has a connection; those whose slot was revoked close it later. */
    const open = new Set<number>();
    const closing = new Set<number>();
    const claims = new Map<number, Claimed>();
    let seed = 7;
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (seed >> 8) % n;
    };
    let most = 0;
    for (let step = 0; step < 5_000; step++) {
      const i = random(8);
      const claimed = claims.get(i);
      if (closing.has(i)) {
        closing.delete(i);
        open.delete(i);
        claimed?.closed();
      } else if (claimed) {
        open.delete(i);
        claims.delete(i);
        claimed.free();
      } else {
        claims.set(
          i,
          slots.claim(
            () => open.add(i),
            () => closing.add(i),
          ),
        );
      }
      if (random(3) === 0) vi.advanceTimersByTime(random(slotFor));
      most = Math.max(most, open.size);
      expect(open.size).toBe(Math.min(2, claims.size));
    }
    expect(most).toBe(2);
  });
});
