import { Ban, Check, CircleDashed, CirclePlay, type LucideIcon, SkipForward, Square, X } from "lucide-react";
import type { Schema } from "@/api/types";
import { Badge, type Tone } from "@/ui/Badge";
import { cn } from "@/ui/cn";
import { useWords } from "@/words";
import { workflowWords } from "./words";

export type NodeStateName = Schema<"NodeRun">["state"];
type Name = NodeStateName | Schema<"WorkflowRun">["state"];

const looks: Record<Name, { tone: Tone; icon: LucideIcon; ink: string }> = {
  waiting: { tone: "idle", icon: CircleDashed, ink: "text-idle" },
  running: { tone: "busy", icon: CirclePlay, ink: "text-busy" },
  cancelling: { tone: "warn", icon: Square, ink: "text-warn" },
  succeeded: { tone: "good", icon: Check, ink: "text-good" },
  failed: { tone: "bad", icon: X, ink: "text-bad" },
  skipped: { tone: "idle", icon: SkipForward, ink: "text-idle" },
  cancelled: { tone: "idle", icon: Ban, ink: "text-idle" },
};

/** The state of a node, or of a whole run of a workflow. */
export function NodeState({ state, bare }: { state: Name; bare?: boolean }) {
  const t = useWords(workflowWords);
  const { tone, icon: Icon, ink } = looks[state];
  const word = state === "cancelled" ? t("stateCancelled") : t(state);
  if (!bare) {
    return (
      <Badge tone={tone} icon={Icon}>
        {word}
      </Badge>
    );
  }
  return (
    <span className={cn("inline-flex items-center gap-1 whitespace-nowrap", ink)}>
      <Icon aria-hidden className="size-3" />
      {word}
    </span>
  );
}
