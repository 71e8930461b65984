import { readFileSync } from "node:fs";

/** What the executor's own tests say that it tells, as it stands now. */
export const sample = JSON.parse(
  readFileSync(new URL("../../../solana/report/testdata/facts.json", import.meta.url), "utf8"),
);

/** Facts of an executor with threads that are due about now. */
export function facts(change: object = {}) {
  const unix = Math.floor(Date.now() / 1000);
  const later = unix - sample.clock.unix;
  const thread = (one: { unit?: string; due?: number; at?: number }) => ({
    ...one,
    ...(one.unit === "seconds" ? { due: (one.due ?? 0) + later } : {}),
    ...(one.at ? { at: Date.now() - 90_000 } : {}),
  });
  return {
    ...sample,
    trouble: undefined,
    started: Date.now() - 3 * 3_600_000,
    clock: { ...sample.clock, unix },
    threads: sample.threads.map(thread),
    dead: sample.dead.map((one: object, index: number) => ({ ...one, since: Date.now() - (index + 1) * 600_000 })),
    reports: {
      namespace: "default",
      execute: "solana-execute",
      redrive: "solana-redrive",
      waiting: 0,
      dropped: 0,
      sent: 15,
    },
    ...change,
  };
}
