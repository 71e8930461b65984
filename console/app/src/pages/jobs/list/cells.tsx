import { CircleCheck, CircleMinus, CirclePause, OctagonAlert } from "lucide-react";
import { useGet } from "@/api/query";
import type { Job, Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { Badge } from "@/ui/Badge";
import { absolute, duration, offset, percent, zone as viewerZone } from "@/ui/format";
import { Skeleton } from "@/ui/Skeleton";
import { OutcomeBars } from "@/ui/Sparkline";
import { StateBadge, stateLooks } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { Tooltip } from "@/ui/Tooltip";
import { useLanguage, useWords } from "@/words";
import { stateWords } from "@/words/shared";
import { scheduleNote, scheduleText, scheduleTextWords, zonesOf } from "../scheduleText";
import { sentenceLanguage, sentenceText } from "../sentence";
import { jobsWords } from "../words";

/** How the schedule of a job stands: a word, an icon and a colour. */
export function JobStatus({ job }: { job: Job }) {
  const t = useWords(jobsWords);
  if (!job.enabled && job.stop_reason) {
    return (
      <Badge tone={job.failures ? "bad" : "idle"} icon={OctagonAlert} title={reasonText(job.stop_reason)}>
        {t("gave_up")}
      </Badge>
    );
  }
  if (!job.enabled) {
    return (
      <Badge tone="idle" icon={CircleMinus}>
        {t("stopped")}
      </Badge>
    );
  }
  if (job.held_by) {
    return (
      <Badge tone="warn" icon={CirclePause} title={job.held_by}>
        {t("held")}
      </Badge>
    );
  }
  return (
    <Badge tone="good" icon={CircleCheck}>
      {t("started")}
    </Badge>
  );
}

/** The schedule in a few words with its zone; pointed at, in a sentence with the next firings. */
export function ScheduleCell({ job }: { job: Job }) {
  const t = useWords(scheduleTextWords);
  const [language] = useLanguage();
  const said = scheduleText(job.schedule, t, language);
  const note = scheduleNote(job.schedule, said);
  return (
    <Tooltip text={<ScheduleTip job={job} />}>
      <span className="block max-w-56">
        <span className="block truncate">{said}</span>
        {note && <span className="block truncate text-2xs text-soft">{note}</span>}
      </span>
    </Tooltip>
  );
}

function ScheduleTip({ job }: { job: Job }) {
  const t = useWords(jobsWords);
  const [language] = useLanguage();
  const now = Date.now();
  const { data } = useGet("/jobs/{key}/firings", {
    path: { key: job.key },
    query: { namespace: job.namespace, count: 3, language: sentenceLanguage(language) },
  });
  if (!data) return <Skeleton className="w-48" />;
  return (
    <span className="flex flex-col gap-0.5">
      <span className="font-medium">{sentenceText(data.sentence, language)}</span>
      {job.schedule.cron && <span className="font-mono opacity-80">{job.schedule.cron}</span>}
      {zonesOf(job.schedule).map((zone) => (
        <span key={zone}>
          {t(zone === viewerZone ? "timesOfYours" : "timesOf", {
            zone,
            offset: offset(now, zone),
            now: absolute(now, zone).slice(11, 16),
          })}
        </span>
      ))}
      {data.firings
        .filter((firing) => !firing.dropped)
        .map((firing) => (
          <span key={firing.at} className="opacity-80">
            {firing.local}
          </span>
        ))}
    </span>
  );
}

/** How the newest run stands. */
export function LastResult({ activity }: { activity: Schema<"JobActivity"> | undefined }) {
  const t = useWords(jobsWords);
  if (!activity) return <Skeleton className="w-20" />;
  if (!activity.last) return <span className="text-soft">{t("noRuns")}</span>;
  return (
    <span className="flex items-center gap-2">
      <StateBadge bare state={activity.last.state} />
      <Time at={activity.last.at} className="text-soft" />
    </span>
  );
}

/** The last runs as bars, the oldest first: as tall as they took long. */
export function RecentBars({ recent, height }: { recent: readonly Schema<"RecentRun">[]; height?: number }) {
  const t = useWords(jobsWords);
  const states = useWords(stateWords);
  if (recent.length === 0) return <span className="text-faint">–</span>;
  const good = recent.filter((run) => run.state === "succeeded").length;
  const longest = Math.max(1, ...recent.map((run) => run.duration_ms ?? 0));
  return (
    <OutcomeBars
      height={height}
      label={t("recentLabel", { good, n: recent.length })}
      outcomes={[...recent].reverse().map((run) => ({
        tone: stateLooks[run.state].tone,
        // Between a run of a moment and the longest one a bar is always seen.
        size: 0.2 + (0.8 * (run.duration_ms ?? 0)) / longest,
        title: `${states(run.state)} · ${run.duration_ms ? duration(run.duration_ms) : "–"}`,
      }))}
    />
  );
}

/** The share of runs that succeeded lately. */
export function SuccessRate({ activity }: { activity: Schema<"JobActivity"> | undefined }) {
  const t = useWords(jobsWords);
  const [language] = useLanguage();
  const rate = activity?.success_rate;
  if (!activity || rate === undefined || rate === null) return <span className="text-faint">–</span>;
  const tone = rate < 0.8 ? "text-bad" : rate < 0.99 ? "text-warn" : undefined;
  return (
    <span className={tone} title={t("ratedOf", { n: activity.rated })}>
      {percent(rate, language)}
    </span>
  );
}

/** What of the job runs and waits now. */
export function NowCell({ activity }: { activity: Schema<"JobActivity"> | undefined }) {
  const t = useWords(jobsWords);
  if (!activity || (activity.running === 0 && activity.waiting === 0)) return <span className="text-faint">–</span>;
  return (
    <span className="flex gap-1">
      {activity.running > 0 && <Badge tone="busy">{t("running", { n: activity.running })}</Badge>}
      {activity.waiting > 0 && <Badge tone="idle">{t("waiting", { n: activity.waiting })}</Badge>}
    </span>
  );
}

/** The labels of a job, a few of them. */
export function Labels({ labels, most = 3 }: { labels: Record<string, string> | undefined; most?: number }) {
  const all = Object.entries(labels ?? {}).filter(([key]) => key !== "owner");
  if (all.length === 0) return <span className="text-faint">–</span>;
  const text = all.map(([key, value]) => (value ? `${key}=${value}` : key));
  return (
    <span className="flex gap-1" title={text.join(", ")}>
      {text.slice(0, most).map((one) => (
        <Badge key={one} className="max-w-32">
          {one}
        </Badge>
      ))}
      {text.length > most && <Badge>+{text.length - most}</Badge>}
    </span>
  );
}
