import { CircleAlert, CircleCheck } from "lucide-react";
import type { Schema } from "@/api/types";
import { cn } from "@/ui/cn";
import { Duration } from "@/ui/Duration";
import { useWords } from "@/words";
import { channelWords } from "./words";

/** What a channel made of a test message. */
export function TrialResult({ trial }: { trial: Schema<"AlarmTrial"> }) {
  const t = useWords(channelWords);
  const Icon = trial.delivered ? CircleCheck : CircleAlert;
  return (
    <div
      role="status"
      className={cn(
        "flex items-start gap-2.5 rounded-md border px-3 py-2 text-sm",
        trial.delivered ? "border-good/40 bg-good-tint" : "border-bad/40 bg-bad-tint",
      )}
    >
      <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", trial.delivered ? "text-good" : "text-bad")} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {t(trial.delivered ? "delivered" : "notDelivered")} · <Duration of={trial.took} />
        </p>
        {trial.answer && <p className="break-words">{trial.answer}</p>}
      </div>
    </div>
  );
}
