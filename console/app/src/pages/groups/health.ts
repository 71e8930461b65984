import type { Schema } from "@/api/types";

export type Executor = Schema<"Executor">;

/** What is done to an executor, or to the group's list of them. */
export type Deed = "add" | "remove" | "drain" | "undrain" | "dialect";

/** How an executor is: the worst that is known of it. */
export type Health = "ok" | "draining" | "probing" | "failing" | "unreachable" | "silent";

/** All of them, the worst first. */
export const healths = ["silent", "unreachable", "failing", "probing", "draining", "ok"] as const;

/**
 * How an executor is at an instant. `silent`: its lease is over, or it was entered by hand and has not answered.
 * `unreachable`: it beats, and this server cannot call it. `failing` and `probing`: its breaker is open, or half
 * open.
 */
export function healthOf(executor: Executor, now: number): Health {
  const lease = Date.parse(executor.lease_until ?? "");
  if (executor.manual ? Number.isNaN(lease) || lease <= now : lease <= now) return "silent";
  if (executor.unreachable) return "unreachable";
  if (executor.breaker?.state === "open") return "failing";
  if (executor.breaker?.state === "half_open") return "probing";
  return executor.draining ? "draining" : "ok";
}

/** How many executors are how, the worst first; those of no one are left out. */
export function countHealth(executors: readonly Executor[], now: number): [Health, number][] {
  const counts = new Map<Health, number>();
  for (const executor of executors) {
    const health = healthOf(executor, now);
    counts.set(health, (counts.get(health) ?? 0) + 1);
  }
  return healths.flatMap((health) =>
    counts.has(health) ? [[health, counts.get(health) ?? 0] as [Health, number]] : [],
  );
}

/** The protocols that executors are spoken to in, each once, in order. */
export function dialectsOf(executors: readonly Executor[]): string[] {
  return [...new Set(executors.map((one) => one.dialect ?? "").filter(Boolean))].sort();
}

/** Reports whether the protocol of an executor supports draining. */
export const canDrain = (executor: Executor) => executor.dialect === "native";

/** The rules by which addresses are replaced, but for empty lines at the form's end. */
export function fullRules<R extends { from: string; to: string }>(rules: readonly R[]): R[] {
  return rules.filter((rule) => rule.from.trim() !== "" || rule.to.trim() !== "");
}
