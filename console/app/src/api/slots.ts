type Claim = { grant: () => void; revoke: () => void };

/** How many may hold a connection at the same time: with the stream of events two are left for requests. */
export const mostSlots = 3;

/** How long one keeps its slot while others wait, in ms. */
export const slotFor = 3_000;

/** A message of the holder of a slot: it closed its connection after `revoke`, or needs no slot any more. */
export type Claimed = { closed: () => void; free: () => void };

/** Gives few slots to many who want one: while some wait, those who have one take turns with them. */
export class Slots {
  private held: Claim[] = [];
  private closing: Claim[] = [];
  private waiting: Claim[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly most = mostSlots) {}

  /** Calls `grant` now or later, and `revoke` when the slot is to go to another one. */
  claim(grant: () => void, revoke: () => void): Claimed {
    const one: Claim = { grant, revoke };
    const others = (all: Claim[]) => all.filter((other) => other !== one);
    this.waiting.push(one);
    this.fill();
    return {
      closed: () => {
        if (!this.closing.includes(one)) return;
        this.closing = others(this.closing);
        this.waiting.push(one);
        this.fill();
      },
      free: () => {
        this.held = others(this.held);
        this.closing = others(this.closing);
        this.waiting = others(this.waiting);
        this.fill();
      },
    };
  }

  private fill(): void {
    while (this.held.length + this.closing.length < this.most) {
      const next = this.waiting.shift();
      if (!next) break;
      this.held.push(next);
      next.grant();
    }
    if (this.waiting.length === 0) {
      clearTimeout(this.timer);
      this.timer = undefined;
    } else this.timer ??= setTimeout(() => this.rotate(), slotFor);
  }

  /** Takes slots back for those who wait. Each goes on when its connection is closed. */
  private rotate(): void {
    this.timer = undefined;
    const over = this.held.splice(0, Math.max(0, this.waiting.length - this.closing.length));
    this.closing.push(...over);
    for (const one of over) one.revoke();
    this.fill();
  }
}
