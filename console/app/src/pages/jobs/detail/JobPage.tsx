import { useNavigate, useSearch } from "@tanstack/react-router";
import { CirclePause, CirclePlay, EllipsisVertical, OctagonAlert, Pencil, Play } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { IconButton } from "@/ui/IconButton";
import { ButtonLink, Link } from "@/ui/Link";
import { Menu } from "@/ui/Menu";
import { PageHeader } from "@/ui/PageHeader";
import { SkeletonText } from "@/ui/Skeleton";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { type JobAction, useStartStop } from "../actions";
import { Explanation } from "../dialogs/Explanation";
import { JobDialog } from "../dialogs/JobDialog";
import { JobStatus } from "../list/cells";
import { JobMenuItems } from "../list/RowActions";
import type { JobTab } from "../route";
import { jobsWords } from "../words";
import { AlarmsTab } from "./AlarmsTab";
import { FiringsTab } from "./FiringsTab";
import { HistoryTab } from "./HistoryTab";
import { OverviewTab } from "./OverviewTab";
import { RunsTab } from "./RunsTab";
import { useJob } from "./useJob";
import { jobWords } from "./words";

/** The page of a job. */
export function JobPage() {
  const { tab } = useSearch({ strict: false }) as { tab?: JobTab };
  return <JobView tab={tab ?? "overview"} />;
}

/** The page of a job at its history, also of one that was deleted. */
export function JobHistoryPage() {
  return <JobView tab="history" />;
}

function JobView({ tab }: { tab: JobTab }) {
  const jobs = useWords(jobsWords);
  const { key, namespace, data: job, error, refetch } = useJob();
  const crumbs = [
    <Link key="jobs" to="/jobs">
      {jobs("title")}
    </Link>,
  ];
  if (error?.status === 404) {
    return (
      <>
        <PageHeader title={key} crumbs={crumbs} />
        <ErrorState problem={error} />
        <OldRevisions jobKey={key} namespace={namespace} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={key}
        crumbs={crumbs}
        text={job?.title}
        badges={job && <Badges job={job} />}
        actions={job && <JobActions job={job} />}
      />
      {error && !job && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!job && !error && <SkeletonText lines={10} />}
      {job && (
        <>
          <Notices job={job} />
          <JobTabs job={job} tab={tab} />
        </>
      )}
    </>
  );
}

/** What is left of a job that was deleted; nothing of one that never was. */
function OldRevisions({ jobKey, namespace }: { jobKey: string; namespace: string }) {
  const t = useWords(jobWords);
  const { data, error } = useGet("/jobs/{key}/revisions", { path: { key: jobKey }, query: { namespace, limit: 1 } });
  if (error ? error.status === 404 : !data) return null;
  return (
    <>
      <p className="mb-3 text-soft">{t("goneText")}</p>
      <HistoryTab jobKey={jobKey} namespace={namespace} />
    </>
  );
}

function Badges({ job }: { job: Job }) {
  const t = useWords(jobWords);
  return (
    <>
      <JobStatus job={job} />
      <Badge>{job.group}</Badge>
      {job.enabled && job.next_at && (
        <span className="text-soft">
          {t("next")} <Time at={job.next_at} />
        </span>
      )}
    </>
  );
}

function JobActions({ job }: { job: Job }) {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const startStop = useStartStop();
  const { may, whyNot } = useSession();
  const [deed, setDeed] = useState<JobAction | null>(null);
  const no = whyNot("operate", job.namespace, job.group);
  return (
    <>
      <Button icon={Play} reason={no} onClick={() => setDeed("run")}>
        {t("run")}
      </Button>
      {(job.enabled || job.schedule.kind !== "manual") && (
        <Button icon={job.enabled ? CirclePause : CirclePlay} reason={no} onClick={() => void startStop(job)}>
          {t(job.enabled ? "stop" : "start")}
        </Button>
      )}
      {may("edit", job.namespace, job.group) && (
        <ButtonLink icon={Pencil} to="/jobs/$id/edit" params={{ id: job.key } as never}>
          {shared("edit")}
        </ButtonLink>
      )}
      <Menu trigger={<IconButton look="plain" icon={EllipsisVertical} label={t("actionsOf", { key: job.key })} />}>
        <JobMenuItems job={job} onDeed={setDeed} />
      </Menu>
      {deed && (
        <JobDialog
          deed={deed}
          job={job}
          onClose={() => setDeed(null)}
          onDeleted={() => void navigate({ to: "/jobs" } as never)}
        />
      )}
    </>
  );
}

function Notices({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const said = job.stop_reason
    ? t("stopReason", { reason: reasonText(job.stop_reason) })
    : job.held_by
      ? t("heldBy", { pause: job.held_by })
      : null;
  if (!said) return null;
  return (
    <p className="mb-4 flex items-start gap-2 rounded-md border border-warn/40 bg-warn-tint px-3 py-2">
      <OctagonAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      {said}
    </p>
  );
}

function JobTabs({ job, tab }: { job: Job; tab: JobTab }) {
  const t = useWords(jobWords);
  const navigate = useNavigate();
  const open = (value: JobTab | "code") => {
    const to = value === "code" ? "/jobs/$id/code" : "/jobs/$id";
    void navigate({
      to,
      params: { id: job.key },
      search: (before: { ns?: string }) => ({
        ns: before.ns,
        tab: value === "overview" || value === "code" ? undefined : value,
      }),
    } as never);
  };
  const named = { jobKey: job.key, namespace: job.namespace };
  return (
    <Tabs<JobTab | "code">
      label={t("tabs")}
      value={tab}
      onChange={open}
      tabs={[
        { value: "overview", label: t("overview"), content: <OverviewTab job={job} /> },
        { value: "runs", label: t("runs"), content: <RunsTab job={job} /> },
        { value: "firings", label: t("firings"), content: <FiringsTab job={job} /> },
        ...(job.handler?.kind === "named" ? [] : [{ value: "code" as const, label: t("code") }]),
        { value: "history", label: t("history"), content: <HistoryTab {...named} job={job} /> },
        { value: "explain", label: t("explain"), content: <Explanation job={job} /> },
        { value: "alarms", label: t("alarms"), content: <AlarmsTab job={job} /> },
      ]}
    />
  );
}
