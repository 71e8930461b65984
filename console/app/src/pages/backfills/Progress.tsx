import type { Schema } from "@/api/types";
import { Badge, type Tone } from "@/ui/Badge";
import { useWords } from "@/words";
import { partsOf } from "./progress";
import { backfillWords } from "./words";

type Backfill = Schema<"Backfill">;

const tones: Record<Backfill["state"], Tone> = { running: "busy", finished: "good", cancelled: "idle" };

/** The state of a backfill. */
export function BackfillState({ state }: { state: Backfill["state"] }) {
  const t = useWords(backfillWords);
  return <Badge tone={tones[state]}>{t(state)}</Badge>;
}

/** How far a backfill is: what succeeded, failed, was passed over and is under way, as parts of a bar. */
export function ProgressBar({ backfill }: { backfill: Backfill }) {
  const t = useWords(backfillWords);
  const parts = partsOf(backfill);
  const { slots, succeeded, failed, skipped } = backfill;
  const text = t("figures", { done: parts.done, slots, succeeded, failed, skipped });
  return (
    <div
      role="progressbar"
      aria-label={t("progress")}
      aria-valuemin={0}
      aria-valuemax={slots}
      aria-valuenow={parts.done}
      aria-valuetext={text}
      title={text}
      className="flex h-2 w-full min-w-24 overflow-hidden rounded-full bg-sunken"
    >
      <Part share={parts.succeeded} tone="bg-good" />
      <Part share={parts.failed} tone="bg-bad" />
      <Part share={parts.skipped} tone="bg-line-strong" />
      <Part share={parts.open} tone="anim-breathe bg-busy" />
    </div>
  );
}

function Part({ share, tone }: { share: number; tone: string }) {
  if (share === 0) return null;
  return <span className={tone} style={{ width: `${share * 100}%` }} />;
}
