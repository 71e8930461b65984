import {
  Ban,
  CalendarClock,
  Check,
  CircleDashed,
  CirclePlay,
  ClockAlert,
  type LucideIcon,
  RotateCw,
  Send,
  SkipForward,
  Square,
  Unplug,
  X,
} from "lucide-react";
import type { RunState } from "@/api/types";
import { useWords } from "@/words";
import { stateWords } from "@/words/shared";
import { Badge, type Tone } from "./Badge";
import { cn } from "./cn";

/** How each state of a run looks. */
export const stateLooks: Record<RunState, { tone: Tone; icon: LucideIcon }> = {
  planned: { tone: "idle", icon: CalendarClock },
  queued: { tone: "idle", icon: CircleDashed },
  dispatched: { tone: "busy", icon: Send },
  running: { tone: "busy", icon: CirclePlay },
  stopping: { tone: "warn", icon: Square },
  waiting_retry: { tone: "warn", icon: RotateCw },
  succeeded: { tone: "good", icon: Check },
  failed: { tone: "bad", icon: X },
  timed_out: { tone: "bad", icon: ClockAlert },
  cancelled: { tone: "idle", icon: Ban },
  lost: { tone: "odd", icon: Unplug },
  skipped: { tone: "idle", icon: SkipForward },
};

const inks: Record<Tone, string> = {
  good: "text-good",
  bad: "text-bad",
  warn: "text-warn",
  busy: "text-busy",
  idle: "text-idle",
  odd: "text-odd",
  accent: "text-accent",
  plain: "text-soft",
};

/** The state of a run: a word, an icon and a colour. `bare` leaves the ground out, for dense tables. */
export function StateBadge({ state, bare, title }: { state: RunState; bare?: boolean; title?: string }) {
  const t = useWords(stateWords);
  const { tone, icon: Icon } = stateLooks[state];
  if (!bare) {
    return (
      <Badge tone={tone} icon={Icon} title={title}>
        {t(state)}
      </Badge>
    );
  }
  return (
    <span title={title} className={cn("inline-flex items-center gap-1.5 whitespace-nowrap font-medium", inks[tone])}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {t(state)}
    </span>
  );
}
