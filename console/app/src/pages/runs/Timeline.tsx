import type { Run, Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { cn } from "@/ui/cn";
import { Elapsed } from "@/ui/Duration";
import { duration } from "@/ui/format";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { type Step, stepsOf } from "./timeline";
import { runsWords } from "./words";

const ends: Record<string, string> = {
  succeeded: "bg-good",
  failed: "bg-bad",
  timed_out: "bg-bad",
  lost: "bg-odd",
  cancelled: "bg-idle",
  skipped: "bg-idle",
};

/** The way of a run from its slot to its end: when each station was reached, how long it took, and why it stands. */
export function Timeline({ run, attempts }: { run: Run; attempts: readonly Schema<"Attempt">[] }) {
  const steps = stepsOf(run, attempts);
  const reached = steps.findLastIndex((step) => step.at);
  return (
    <ol className="flex flex-col gap-3 md:flex-row md:gap-0">
      {steps.map((step, index) => (
        <Station
          key={step.station}
          step={step}
          run={run}
          first={index === 0}
          passed={index < reached}
          last={index === steps.length - 1}
        />
      ))}
    </ol>
  );
}

function Station({
  step,
  run,
  passed,
  last,
}: {
  step: Step;
  run: Run;
  first: boolean;
  passed: boolean;
  last: boolean;
}) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const name = step.station === "planned" ? shared("planned") : t(step.station);
  const dot = !step.at
    ? "border border-line-strong bg-raised"
    : step.station === "finished"
      ? (ends[run.state] ?? "bg-idle")
      : step.here && !run.final
        ? "anim-breathe bg-busy"
        : "bg-accent";
  return (
    <li className="min-w-0 flex-1 md:pr-3">
      <div aria-hidden className="mb-2 hidden items-center md:flex">
        <span className={cn("size-2.5 shrink-0 rounded-full", dot)} />
        {!last && <span className={cn("ml-1 -mr-2 h-px flex-1", passed ? "bg-accent" : "bg-line-strong")} />}
      </div>
      <div className="flex gap-2 md:block">
        <span aria-hidden className={cn("mt-1.5 size-2.5 shrink-0 rounded-full md:hidden", dot)} />
        <div className="min-w-0">
          <p className={cn("font-medium", !step.at && "text-faint")}>{name}</p>
          {step.at ? (
            <p className="text-soft text-xs">
              <Time at={step.at} as="absolute" millis />
            </p>
          ) : (
            <p className="text-faint text-xs">{t("notReached")}</p>
          )}
          <Lasted step={step} run={run} />
          {step.reason && (
            <p className="mt-0.5 line-clamp-3 break-words text-soft text-xs" title={reasonText(step.reason)}>
              {reasonText(step.reason)}
            </p>
          )}
        </div>
      </div>
    </li>
  );
}

function Lasted({ step, run }: { step: Step; run: Run }) {
  if (step.lasted !== undefined) return <p className="text-faint text-xs">+ {duration(step.lasted)}</p>;
  if (!step.here || run.final) return null;
  return (
    <p className="text-busy text-xs">
      + <Elapsed from={step.at} />
    </p>
  );
}
