import type { Job } from "@/api/types";
import { inSpace } from "@/shell/namespace";
import { Code } from "@/ui/Code";
import { Link } from "@/ui/Link";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import type { Translate } from "@/words";
import type { sharedWords } from "@/words/shared";
import type { JobAction } from "../actions";
import { shortDuration } from "../form/values";
import type { jobsWords } from "../words";
import { JobStatus, Labels, LastResult, NowCell, RecentBars, ScheduleCell, SuccessRate } from "./cells";
import { RowActions } from "./RowActions";

type Entries<W extends { entries: object }> = keyof W["entries"] & string;

/** What runs in a job: the name of its handler, the kind of its script, or its template. */
export function handlerText(job: Job): string {
  if (job.template) return job.template;
  return job.handler?.kind === "named" ? (job.handler.name ?? "") : (job.handler?.kind ?? "");
}

/** The columns of the list of jobs; `shown` is the namespace that is shown, empty for all. */
export function jobColumns(
  t: Translate<Entries<typeof jobsWords>>,
  shared: Translate<Entries<typeof sharedWords>>,
  shown: string,
  onDeed: (deed: JobAction, job: Job) => void,
): Column<Job>[] {
  const dash = <span className="text-faint">–</span>;
  return [
    {
      id: "key",
      title: shared("key"),
      sort: "key",
      fixed: true,
      cell: (job) => (
        <span className="block max-w-40 sm:max-w-60">
          <Link
            to="/jobs/$id"
            params={{ id: job.key }}
            search={inSpace(shown, job.namespace)}
            className="block truncate font-medium text-ink"
            title={job.key}
          >
            {job.key}
          </Link>
          {job.title && (
            <span className="block truncate text-2xs text-soft" title={job.title}>
              {job.title}
            </span>
          )}
        </span>
      ),
    },
    {
      id: "name",
      title: shared("title"),
      sort: "title",
      extra: true,
      cell: (job) =>
        job.title ? (
          <span className="block max-w-80 truncate" title={job.title}>
            {job.title}
          </span>
        ) : (
          dash
        ),
    },
    { id: "group", title: shared("group"), cell: (job) => <span className="text-soft">{job.group}</span> },
    { id: "status", title: t("status"), cell: (job) => <JobStatus job={job} /> },
    { id: "schedule", title: t("schedule"), cell: (job) => <ScheduleCell job={job} /> },
    {
      id: "next",
      title: t("nextFire"),
      sort: "next_at",
      cell: (job) => (job.enabled ? <Time at={job.next_at} /> : dash),
    },
    {
      id: "last",
      title: t("lastResult"),
      sort: "last_ended_at",
      cell: (job) => <LastResult activity={job.activity} />,
    },
    { id: "recent", title: t("recent"), cell: (job) => <RecentBars recent={job.activity?.recent ?? []} /> },
    {
      id: "rate",
      title: t("successRate"),
      align: "right",
      cell: (job) => <SuccessRate activity={job.activity} />,
    },
    { id: "now", title: t("now"), extra: true, cell: (job) => <NowCell activity={job.activity} /> },
    { id: "labels", title: t("labels"), extra: true, cell: (job) => <Labels labels={job.labels} /> },
    { id: "owner", title: t("owner"), extra: true, cell: (job) => job.labels?.owner ?? dash },
    {
      id: "handler",
      title: t("handler"),
      extra: true,
      cell: (job) => <Code>{handlerText(job)}</Code>,
    },
    { id: "route", title: t("route"), extra: true, cell: (job) => <span className="text-soft">{job.route}</span> },
    {
      id: "timeout",
      title: t("timeout"),
      extra: true,
      align: "right",
      cell: (job) => (job.timeout ? shortDuration(job.timeout) : dash),
    },
    { id: "retries", title: t("retries"), extra: true, align: "right", cell: (job) => job.retry?.tries ?? 0 },
    {
      id: "updated",
      title: shared("updated"),
      extra: true,
      sort: "updated_at",
      cell: (job) => <Time at={job.updated_at} />,
    },
    { id: "created", title: shared("created"), extra: true, cell: (job) => <Time at={job.created_at} /> },
    {
      id: "actions",
      title: shared("actions"),
      fixed: true,
      align: "right",
      width: "4.5rem",
      className: "sticky right-0 bg-raised group-hover:bg-hover group-aria-selected:bg-accent-tint",
      cell: (job) => <RowActions job={job} onDeed={(deed) => onDeed(deed, job)} />,
    },
  ];
}
