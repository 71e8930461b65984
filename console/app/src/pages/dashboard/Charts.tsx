import { useMemo } from "react";
import type { Schema } from "@/api/types";
import type { Tone } from "@/ui/Badge";
import { cn } from "@/ui/cn";
import { count, duration, zone } from "@/ui/format";
import { Section } from "@/ui/Section";
import { Skeleton } from "@/ui/Skeleton";
import { type Series, TimeChart } from "@/ui/TimeChart";
import { useLanguage, useWords } from "@/words";
import { byOutcome, durations, type Outcome, outcomes, timesOf } from "./series";
import { dashboardWords } from "./words";

const tones: Record<Outcome, Tone> = {
  succeeded: "good",
  failed: "bad",
  timed_out: "warn",
  lost: "odd",
  other: "idle",
};
const inks: Record<string, string> = {
  good: "bg-good",
  bad: "bg-bad",
  warn: "bg-warn",
  odd: "bg-odd",
  idle: "bg-idle",
  accent: "bg-accent",
  busy: "bg-busy",
};

/** How runs ended, and how long attempts took, over the chosen time. */
export function Charts({ data, stale }: { data: Schema<"Dashboard"> | undefined; stale: boolean }) {
  const t = useWords(dashboardWords);
  const [language] = useLanguage();
  const buckets = data?.buckets;
  const shown = useMemo(() => {
    const counted = byOutcome(buckets ?? []);
    const names: Record<Outcome, string> = {
      succeeded: t("succeeded"),
      failed: t("failed"),
      timed_out: t("timedOut"),
      lost: t("lost"),
      other: t("other"),
    };
    const runs: Series[] = outcomes
      .filter((one) => one === "succeeded" || one === "failed" || counted[one].some((n) => n > 0))
      .map((one) => ({ label: names[one], tone: tones[one], values: counted[one] }));
    const took: Series[] = [
      { label: t("median"), tone: "accent", values: durations(buckets ?? [], "took_p50") },
      { label: t("p95"), tone: "warn", values: durations(buckets ?? [], "took_p95") },
    ];
    return { times: timesOf(buckets ?? []), runs, took };
  }, [buckets, t]);
  return (
    <div className={cn("grid gap-4 transition-opacity lg:grid-cols-2", stale && "[&_figure]:opacity-60")}>
      <Section title={t("outcomes")} actions={<Legend series={shown.runs} />}>
        {data ? (
          <TimeChart
            label={t("outcomes")}
            empty={t("noOutcomes")}
            kind="bars"
            times={shown.times}
            series={shown.runs}
            format={(value) => count(Math.round(value), language)}
          />
        ) : (
          <Skeleton className="h-45" />
        )}
      </Section>
      <Section title={t("durations")} actions={<Legend series={shown.took} />}>
        {data ? (
          <TimeChart
            label={t("durations")}
            empty={t("noDurations")}
            times={shown.times}
            series={shown.took}
            format={duration}
          />
        ) : (
          <Skeleton className="h-45" />
        )}
      </Section>
      <p className="-mt-2 text-faint text-xs lg:col-span-2">{t("zoneNote", { zone })}</p>
    </div>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 text-soft text-xs">
      {series.map((one) => (
        <li key={one.label} className="flex items-center gap-1.5">
          <span aria-hidden className={cn("size-2 rounded-full", inks[one.tone])} />
          {one.label}
        </li>
      ))}
    </ul>
  );
}
