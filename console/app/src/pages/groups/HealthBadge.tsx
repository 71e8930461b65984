import { CircleCheck, CircleDashed, type LucideIcon, PauseCircle, ShieldAlert, Unplug, VolumeX } from "lucide-react";
import { Badge, type Tone } from "@/ui/Badge";
import { useWords } from "@/words";
import type { Executor, Health } from "./health";
import { groupWords } from "./words";

const looks: Record<Health, { tone: Tone; icon: LucideIcon }> = {
  ok: { tone: "good", icon: CircleCheck },
  draining: { tone: "warn", icon: PauseCircle },
  probing: { tone: "warn", icon: CircleDashed },
  failing: { tone: "bad", icon: ShieldAlert },
  unreachable: { tone: "bad", icon: Unplug },
  silent: { tone: "idle", icon: VolumeX },
};

/** How an executor is, or how many are so. */
export function HealthBadge({ health, count, title }: { health: Health; count?: number; title?: string }) {
  const t = useWords(groupWords);
  return (
    <Badge tone={looks[health].tone} icon={looks[health].icon} title={title}>
      {count === undefined ? t(health) : `${count} ${t(health)}`}
    </Badge>
  );
}

/** How an executor is spoken to, and how that is known. */
export function Dialect({ of }: { of: Executor }) {
  const t = useWords(groupWords);
  if (!of.dialect) return <span className="text-faint">{t("unknownDialect")}</span>;
  const by = { probed: t("probed"), seen: t("seenBy"), set: t("set") };
  return (
    <span className="whitespace-nowrap">
      {of.dialect}
      {of.dialect_by && <span className="ml-1.5 text-faint text-xs">{by[of.dialect_by]}</span>}
    </span>
  );
}
