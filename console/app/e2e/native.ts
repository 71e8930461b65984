import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Orth } from "./server";

/** An executor of the native protocol that only registers and tells facts about itself. */
export class Teller {
  readonly address: string;

  private constructor(
    private readonly server: string,
    private readonly token: string,
    readonly group: string,
    private readonly instance: string,
  ) {
    this.address = `pull://${group}/${instance}`;
  }

  private beats?: ReturnType<typeof setInterval>;

  /** Registers one that pulls, and beats until it is stopped: a lease lasts for 90 s. */
  static async start(orth: Orth, server: string, group: string, n: number): Promise<Teller> {
    const made = await orth.api<{ token: string }>("POST", `/groups/${group}/tokens`, { label: `teller ${n}` });
    const teller = new Teller(server, made.token, group, n.toString(16).padStart(24, "0"));
    await teller.beat();
    teller.beats = setInterval(() => void teller.beat().catch(() => undefined), 20_000);
    return teller;
  }

  stop(): void {
    clearInterval(this.beats);
  }

  private beat(): Promise<void> {
    return this.say("register", { transport: "pull", instance: this.instance, incarnation: `life-${this.instance}` });
  }

  /** Tells what it is now. */
  tell(kind: string, facts: object): Promise<void> {
    return this.say("facts", { address: this.address, kind, facts });
  }

  private async say(name: string, message: object): Promise<void> {
    const body = JSON.stringify({ group: this.group, ...message });
    const path = `/orth/v1/${name}`;
    const time = String(Date.now());
    const nonce = randomBytes(16).toString("base64url");
    const sum = createHash("sha256").update(body).digest("hex");
    const signed = ["orth-v1", "POST", path, sum, time, nonce, "", ""].join("\n");
    const answer = await fetch(this.server + path, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "Orth-Protocol": "1.3",
        "Orth-Key": createHash("sha256").update(this.token).digest("hex").slice(0, 16),
        "Orth-Time": time,
        "Orth-Nonce": nonce,
        "Orth-Signature": createHmac("sha256", this.token).update(signed).digest("hex"),
      },
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  }
}
