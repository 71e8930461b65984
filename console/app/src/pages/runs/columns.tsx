import type { Run } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { useNamespace } from "@/shell/namespace";
import { cn } from "@/ui/cn";
import { Elapsed } from "@/ui/Duration";
import { duration } from "@/ui/format";
import { Link } from "@/ui/Link";
import { StateBadge } from "@/ui/StateBadge";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useNow } from "@/ui/useNow";
import { useWords } from "@/words";
import { causeWords, sharedWords } from "@/words/shared";
import { lagOf, oneLine, saidOf } from "./timeline";
import { runsWords } from "./words";

/** Style of links that are a number: large enough to click next to a checkbox. */
export const numberClass = "inline-flex h-6 min-w-6 items-center font-mono text-xs";

/** The link to a run's page. */
export function RunLink({ id, children }: { id: string; children?: React.ReactNode }) {
  return (
    <Link to="/runs/$id" params={{ id }} className={numberClass}>
      {children ?? id}
    </Link>
  );
}

/** The link to the job of a run, or its number when the job is gone. */
export function JobLink({ run }: { run: Pick<Run, "job_key" | "job_id" | "namespace"> }) {
  const t = useWords(runsWords);
  const { namespace: shown } = useNamespace();
  if (!run.job_key) {
    return (
      <span className="text-faint">
        {run.job_id} {t("gone")}
      </span>
    );
  }
  const ns = run.namespace && run.namespace !== "default" ? run.namespace : undefined;
  return (
    <Link to="/jobs/$id" params={{ id: run.job_key }} search={{ ns } as never} className="text-ink">
      {ns && !shown && <span className="text-soft">{ns}/</span>}
      {run.job_key}
    </Link>
  );
}

/** How late a run began: live for one that waits. A second is nothing to speak of. */
export function Lag({ run }: { run: Run }) {
  const now = useNow(5_000);
  const lag = lagOf(run, now);
  if (lag === undefined) return <span className="text-faint">–</span>;
  const tone = lag > 60_000 ? "text-bad" : lag > 5_000 ? "text-warn" : undefined;
  return <span className={cn("whitespace-nowrap", tone)}>{duration(lag)}</span>;
}

/** The columns of lists of runs. */
export function useRunColumns(): Column<Run>[] {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const causes = useWords(causeWords);
  return [
    { id: "id", title: t("id"), cell: (run) => <RunLink id={run.id} />, fixed: true, width: "6rem" },
    { id: "state", title: shared("state"), cell: (run) => <StateBadge state={run.state} />, width: "8.5rem" },
    { id: "job", title: shared("job"), cell: (run) => <JobLink run={run} />, className: "max-w-72 truncate" },
    { id: "group", title: shared("group"), cell: (run) => run.group, extra: true },
    { id: "namespace", title: shared("namespace"), cell: (run) => run.namespace, extra: true },
    { id: "planned", title: shared("planned"), cell: (run) => <Time at={run.planned_at} />, sort: "planned_at" },
    { id: "lag", title: t("lag"), cell: (run) => <Lag run={run} />, align: "right" },
    {
      id: "created",
      title: t("created"),
      cell: (run) => <Time at={run.created_at} />,
      sort: "created_at",
      extra: true,
    },
    { id: "started", title: shared("started"), cell: (run) => <Time at={run.started_at} />, sort: "started_at" },
    {
      id: "duration",
      title: t("duration"),
      cell: (run) => <Elapsed from={run.started_at} to={run.final ? (run.ended_at ?? run.started_at) : undefined} />,
      sort: "duration",
      align: "right",
    },
    { id: "ended", title: shared("ended"), cell: (run) => <Time at={run.ended_at} />, sort: "ended_at", extra: true },
    { id: "cause", title: shared("cause"), cell: (run) => causes(run.cause as Parameters<typeof causes>[0]) },
    { id: "by", title: t("by"), cell: (run) => run.by, extra: true },
    {
      id: "message",
      title: shared("message"),
      cell: (run) => {
        const text = reasonText(saidOf(run));
        return (
          <span className="text-soft" title={text}>
            {oneLine(text)}
          </span>
        );
      },
      className: "w-full max-w-0 min-w-44 truncate",
    },
    { id: "attempts", title: t("attempts"), cell: (run) => run.tries, sort: "tries", align: "right" },
    {
      id: "executor",
      title: shared("executor"),
      cell: (run) => <span className="text-soft">{run.executor?.replace(/^https?:\/\//, "").replace(/\/$/, "")}</span>,
      className: "max-w-44 truncate",
      extra: true,
    },
  ];
}
