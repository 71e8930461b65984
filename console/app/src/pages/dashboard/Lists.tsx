import { lazy, Suspense } from "react";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { bytes, count } from "@/ui/format";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { useNow } from "@/ui/useNow";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { SmallTable } from "./SmallTable";
import { dashboardWords } from "./words";

/** The Chinese of reasons is much, and the first page is to be there soon: it comes after it. */
const Reason = lazy(() => import("@/pages/explanation/Reason"));

type Data = Schema<"Dashboard"> | undefined;

/** A link to a job's page. */
function JobLink({ job }: { job: { job_key: string; namespace: string } }) {
  return (
    <Link
      to="/jobs/$id"
      params={{ id: job.job_key }}
      search={{ ns: job.namespace } as never}
      className="font-medium text-ink"
    >
      {job.job_key}
    </Link>
  );
}

/** The jobs that fail most, each with its last failure. */
export function Failing({ data }: { data: Data }) {
  const t = useWords(dashboardWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  return (
    <Section title={t("failing")} text={data?.partly ? t("partly") : undefined} flush>
      <SmallTable
        label={t("failing")}
        rows={data?.failing}
        rowKey={(row) => String(row.job_id)}
        empty={t("failingNone")}
        columns={[
          { title: shared("job"), cell: (row) => <JobLink job={row} /> },
          {
            title: t("lastTime"),
            wide: true,
            cell: (row) => (
              <span className="flex min-w-0 items-center gap-2">
                <Link to="/runs/$id" params={{ id: row.last_run_id }} className="no-underline">
                  <StateBadge state={row.last_state} />
                </Link>
                <Time at={row.last_at} className="text-soft" />
                <Suspense>
                  <Reason text={row.reason} />
                </Suspense>
              </span>
            ),
          },
          { title: t("failures"), right: true, cell: (row) => count(row.runs, language) },
        ]}
      />
    </Section>
  );
}

/** What waits, by group, the longest wait first. */
export function Backlog({ data }: { data: Data }) {
  const t = useWords(dashboardWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  return (
    <Section title={t("backlog")} flush>
      <SmallTable
        label={t("backlog")}
        rows={data?.backlog}
        rowKey={(row) => `${row.namespace}/${row.group}`}
        empty={t("backlogNone")}
        columns={[
          { title: shared("group"), wide: true, cell: (row) => row.group },
          { title: t("oldest"), cell: (row) => <Time at={row.oldest_at} /> },
          { title: t("waiting"), right: true, cell: (row) => count(row.waiting, language) },
        ]}
      />
    </Section>
  );
}

const mostFirings = 10;

/** What fires next. */
export function Soon({ data }: { data: Data }) {
  const t = useWords(dashboardWords);
  const shared = useWords(sharedWords);
  const now = useNow(1_000);
  const soon = data?.firings.filter((row) => Date.parse(row.at) > now - 1_000).slice(0, mostFirings);
  return (
    <Section title={t("soon")} flush>
      <SmallTable
        label={t("soon")}
        rows={soon}
        rowKey={(row) => `${row.job_id} ${row.at}`}
        empty={t("soonNone")}
        columns={[
          { title: shared("job"), wide: true, cell: (row) => <JobLink job={row} /> },
          { title: shared("group"), cell: (row) => <span className="text-soft">{row.group}</span> },
          { title: t("at"), right: true, cell: (row) => <Time at={row.at} /> },
        ]}
      />
    </Section>
  );
}

/** The executors of each group by how they are. */
export function Executors({ data }: { data: Data }) {
  const t = useWords(dashboardWords);
  const shared = useWords(sharedWords);
  return (
    <Section title={t("executors")} flush>
      <SmallTable
        label={t("executors")}
        rows={data?.groups}
        rowKey={(row) => row.group}
        empty={t("executorsNone")}
        columns={[
          {
            title: shared("group"),
            wide: true,
            cell: (row) => (
              <Link to="/groups/$ns/$key" params={{ ns: "default", key: row.group }} className="font-medium text-ink">
                {row.group}
              </Link>
            ),
          },
          { title: t("alive"), right: true, cell: (row) => row.alive },
          { title: t("draining"), right: true, cell: (row) => row.draining || "–" },
          { title: t("unreachable"), right: true, cell: (row) => <Bad n={row.unreachable} /> },
          { title: t("silent"), right: true, cell: (row) => <Bad n={row.silent} /> },
        ]}
      />
    </Section>
  );
}

function Bad({ n }: { n: number }) {
  return n > 0 ? <span className="font-medium text-bad">{n}</span> : "–";
}

/** The servers of the platform, for administrators. */
export function Servers() {
  const t = useWords(dashboardWords);
  const { may } = useSession();
  const allowed = may("admin", "*");
  const { data } = useGet("/servers", {}, { enabled: allowed, refetchInterval: 15_000, retry: false });
  if (!allowed) return null;
  return (
    <Section title={t("servers")}>
      {!data && <SkeletonText lines={2} />}
      <ul className="flex flex-col gap-3">
        {data?.servers.map((server) => (
          <li key={server.name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={server.ready ? "good" : "bad"}>{server.ready ? t("ready") : t("notReady")}</Badge>
            <span className="min-w-0 truncate font-medium">{server.name}</span>
            <span className="text-faint text-xs">
              {server.version} · {t("since")} <Time at={server.started_at} /> · {t("database")} {server.store}{" "}
              {bytes(server.database_bytes)}
            </span>
            {server.reasons.map((reason) => (
              <p key={JSON.stringify(reason)} className="basis-full text-bad">
                {Object.values(reason).join(": ")}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}
