import { useParams } from "@tanstack/react-router";
import { useGet } from "@/api/query";
import { reasonText } from "@/pages/explanation/reasonText";
import { JobLink, useRunColumns } from "@/pages/runs/columns";
import { useSession } from "@/session/session";
import { Duration } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { duration } from "@/ui/format";
import { JsonView } from "@/ui/JsonView";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useNow } from "@/ui/useNow";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { CancelBackfill } from "./CancelBackfill";
import { BackfillState, ProgressBar } from "./Progress";
import { leftOf, partsOf } from "./progress";
import { backfillWords } from "./words";

/** One backfill: how far it is, live, and its newest runs. */
export function BackfillPage() {
  const { id } = useParams({ from: "/shell/backfills/$id" });
  const t = useWords(backfillWords);
  const shared = useWords(sharedWords);
  const now = useNow(5_000);
  const { whyNot } = useSession();
  const {
    data: backfill,
    error,
    refetch,
  } = useGet(
    "/backfills/{id}",
    { path: { id } },
    { refetchInterval: (query) => (query.state.data?.state === "running" ? 2_000 : false) },
  );
  const runs = useGet(
    "/runs",
    { query: { cause: "backfill", job: backfill?.job_key, limit: 200 } },
    { enabled: Boolean(backfill?.job_key), refetchInterval: backfill?.state === "running" ? 3_000 : false, keep: true },
  );
  const columns = useRunColumns().filter((column) => !["job", "cause", "lag", "executor"].includes(column.id));
  const own = runs.data?.runs.filter((run) => run.cause_id === id).slice(0, 50);
  const namespace = runs.data?.runs[0]?.namespace;
  const crumbs = [
    <Link key="all" to="/backfills">
      {t("title")}
    </Link>,
  ];
  if (!backfill) {
    return (
      <>
        <PageHeader title={t("one", { id })} crumbs={crumbs} />
        {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <SkeletonText lines={6} />}
      </>
    );
  }
  const left = leftOf(backfill, now);
  const { slots, succeeded, failed, skipped } = backfill;
  return (
    <>
      <PageHeader
        title={t("one", { id })}
        crumbs={crumbs}
        badges={<BackfillState state={backfill.state} />}
        actions={
          backfill.state === "running" && <CancelBackfill backfill={backfill} reason={whyNot("operate", namespace)} />
        }
      />
      <div className="flex flex-col gap-4">
        <Section title={t("progress")}>
          <ProgressBar backfill={backfill} />
          <p className="mt-2 text-soft" role="status">
            {t("figures", { done: partsOf(backfill).done, slots, succeeded, failed, skipped })}
            {left !== undefined && ` · ${t("left", { time: duration(left) })}`}
          </p>
          <KeyValue
            className="mt-4"
            items={[
              [shared("job"), <JobLink key="job" run={backfill} />],
              [
                t("range"),
                <span key="range">
                  <Time at={backfill.from} as="absolute" /> – <Time at={backfill.to} as="absolute" />
                </span>,
              ],
              [t("made"), backfill.made],
              [t("parallel"), backfill.parallel],
              [t("spacing"), backfill.spacing && <Duration key="spacing" of={backfill.spacing} />],
              [t("skipped"), backfill.skip_succeeded ? t("skipSucceeded") : undefined],
              [t("param"), backfill.param === undefined ? undefined : <JsonView key="param" value={backfill.param} />],
              [shared("created"), <Time key="created" at={backfill.created_at} as="absolute" />],
              [shared("ended"), backfill.ended_at && <Time key="ended" at={backfill.ended_at} as="absolute" />],
              [t("reason"), reasonText(backfill.reason) || undefined],
            ]}
          />
        </Section>
        <Section
          title={t("lately")}
          flush
          actions={
            backfill.job_key && (
              <ButtonLink to="/runs" search={{ job: backfill.job_key, cause: "backfill" }} look="quiet" size="small">
                {t("allRuns")}
              </ButtonLink>
            )
          }
        >
          <Table
            label={t("runs")}
            columns={columns}
            rows={own}
            rowKey={(run) => run.id}
            problem={runs.error}
            empty={<p className="px-4 py-6 text-soft">{t("noRuns")}</p>}
          />
        </Section>
      </div>
    </>
  );
}
