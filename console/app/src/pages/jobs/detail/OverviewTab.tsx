import { useQuery } from "@tanstack/react-query";
import { useGet } from "@/api/query";
import type { Job, Run } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { saidOf } from "@/pages/runs/timeline";
import { Code, CodeBlock } from "@/ui/Code";
import { ErrorState } from "@/ui/ErrorState";
import { duration, parseDuration, percent } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { Link, OutLink } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { Skeleton, SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { TimeChart } from "@/ui/TimeChart";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { allJobs } from "../allJobs";
import { choiceWords } from "../form/choiceWords";
import { inputWords } from "../form/inputWords";
import { scriptNames } from "../form/scripts";
import { shortDuration } from "../form/values";
import { whenWords } from "../form/whenWords";
import { formWords } from "../form/words";
import { Labels, RecentBars } from "../list/cells";
import { sentenceLanguage, sentenceText } from "../sentence";
import { jobsWords } from "../words";
import { partsOf } from "./description";
import { jobWords } from "./words";

/** What a job is, and how it did lately. */
export function OverviewTab({ job }: { job: Job }) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <LastRuns job={job} />
        <Trend job={job} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        {job.description && <Description text={job.description} />}
        <Facts job={job} />
        <Links job={job} />
      </div>
    </div>
  );
}

function Description({ text }: { text: string }) {
  const form = useWords(formWords);
  return (
    <Section title={form("description")}>
      <p className="max-h-96 overflow-y-auto whitespace-pre-wrap break-words">
        {partsOf(text).map((part) =>
          part.href ? (
            <OutLink key={part.at} href={part.href} className="inline break-all [&>svg]:ml-0.5 [&>svg]:inline">
              {part.text}
            </OutLink>
          ) : (
            part.text
          ),
        )}
      </p>
    </Section>
  );
}

function LastRuns({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const { data } = useGet(
    "/runs",
    { query: { job: job.key, namespace: job.namespace, limit: 40 } },
    { refetchInterval: 10_000 },
  );
  const runs = data?.runs ?? [];
  const over = runs.filter((run) => run.final).map(recentOf);
  return (
    <Section
      title={t("lastRuns")}
      actions={
        <Link to="/runs" search={{ ns: job.namespace, job: job.key } as never}>
          {t("allRuns")}
        </Link>
      }
    >
      {!data && <Skeleton className="h-10" />}
      {data && runs.length === 0 && <p className="text-faint">{t("noRunsText")}</p>}
      {runs.length > 0 && (
        <div className="flex flex-col gap-3">
          <RecentBars recent={over} height={36} />
          <ul className="flex flex-col">
            {runs.slice(0, 5).map((run) => (
              <li key={run.id} className="grid grid-cols-[5rem_7rem_1fr_auto] items-center gap-3 border-t py-1.5">
                <Link to="/runs/$id" params={{ id: run.id } as never}>
                  {run.id}
                </Link>
                <StateBadge bare state={run.state} />
                <span className="truncate text-soft" title={reasonText(saidOf(run))}>
                  {reasonText(saidOf(run))}
                </span>
                <Time at={run.ended_at ?? run.started_at ?? run.created_at} className="text-faint" />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

function recentOf(run: Run) {
  const took = Date.parse(run.ended_at ?? "") - Date.parse(run.started_at ?? "");
  return {
    run_id: run.id,
    state: run.state as "succeeded",
    ended_at: run.ended_at ?? "",
    duration_ms: Number.isFinite(took) ? Math.max(1, took) : undefined,
  };
}

function Trend({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const [language] = useLanguage();
  const { data, error, refetch } = useGet("/jobs/{key}/stats", {
    path: { key: job.key },
    query: { namespace: job.namespace },
  });
  const days = data?.days ?? [];
  const times = days.map((day) => Date.parse(day.day));
  const bad = (day: (typeof days)[number]) => day.failed + day.timed_out + day.lost;
  const total = data?.total;
  return (
    <Section title={t("trend")}>
      {error && <ErrorState compact problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-72" />}
      {data && total && (
        <div className="flex flex-col gap-4">
          <dl className="grid grid-cols-2 gap-4 sm:grid-cols-5">
            <Figure label={t("runsCount")} value={String(total.runs)} />
            <Figure
              label={t("successRate")}
              value={total.success_rate === undefined ? "–" : percent(total.success_rate, language)}
            />
            <Figure label={t("meanTook")} value={took(total.mean_took)} />
            <Figure label={t("maxTook")} value={took(total.max_took)} />
            <Figure label={t("meanLate")} value={took(total.mean_late)} />
          </dl>
          <TimeChart
            label={t("trend")}
            empty={t("noTrend")}
            height={140}
            kind="bars"
            times={times}
            series={[
              { label: t("succeeded"), tone: "good", values: days.map((day) => day.succeeded) },
              { label: t("failed"), tone: "bad", values: days.map(bad) },
            ]}
          />
          {days.some((day) => day.mean_took) && (
            <TimeChart
              label={t("mean")}
              empty={t("noTrend")}
              height={110}
              kind="lines"
              times={times}
              format={(value) => duration(value * 1000)}
              series={[
                {
                  label: t("mean"),
                  tone: "accent",
                  values: days.map((day) => (day.mean_took ? parseDuration(day.mean_took) / 1000 : null)),
                },
              ]}
            />
          )}
        </div>
      )}
    </Section>
  );
}

const took = (text: string | undefined) => (text ? duration(parseDuration(text)) : "–");

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex flex-col">
      <dt className="text-faint text-xs">{label}</dt>
      <dd className="text-lg">{value}</dd>
    </div>
  );
}

function Facts({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const jobs = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const choices = useWords(choiceWords);
  const inputs = useWords(inputWords);
  const form = useWords(formWords);
  const when = useWords(whenWords);
  const [language] = useLanguage();
  const { data } = useGet("/jobs/{key}/firings", {
    path: { key: job.key },
    query: { namespace: job.namespace, count: 1, language: sentenceLanguage(language) },
  });
  const misfires = { skip: "missSkip", fire_once: "missOnce", fire_all: "missAll" } as const;
  const schedule = job.schedule.cron ?? job.schedule.daily;
  return (
    <Section title={t("facts")}>
      <KeyValue
        items={[
          [t("schedule"), data ? sentenceText(data.sentence, language) : <Skeleton key="schedule" className="w-40" />],
          [t("expression"), schedule && <Code key="expression">{schedule}</Code>],
          [when("zone"), job.schedule.zone],
          [when("calendars"), job.schedule.calendars?.join(", ")],
          [t("handler"), <CodeOf key="code" job={job} />],
          [
            t("param"),
            job.param && (
              <CodeBlock key="param" className="max-h-32 whitespace-pre-wrap break-words p-2">
                {job.param}
              </CodeBlock>
            ),
          ],
          [
            inputs("inputs"),
            job.inputs?.map((one) => (one.default ? `${one.name}=${one.default}` : one.name)).join(", "),
          ],
          [t("route"), choices(job.route)],
          [t("overlap"), choices(job.overlap)],
          [t("timeout"), shortDuration(job.timeout)],
          [t("retry"), job.retry?.tries ? t("retryOf", { n: job.retry.tries }) : ""],
          [t("misfire"), when(misfires[job.misfire as keyof typeof misfires] ?? "missSkip")],
          [form("stopAfter"), job.stop_after],
          [t("emails"), job.alarm_emails?.join(", ")],
          [jobs("owner"), job.labels?.owner],
          [jobs("labels"), job.labels && <Labels key="labels" labels={job.labels} most={8} />],
          [shared("created"), <Time key="created" at={job.created_at} />],
          [shared("updated"), <Time key="updated" at={job.updated_at} />],
          [t("version"), job.version],
          [t("id"), job.id],
        ]}
      />
    </Section>
  );
}

function CodeOf({ job }: { job: Job }) {
  const t = useWords(jobWords);
  if (job.template) {
    return (
      <Link to="/jobs/$id/code" params={{ id: job.key } as never}>
        {t("ofTemplate")}: {job.template}
      </Link>
    );
  }
  if (job.handler?.kind === "named") return <Code>{job.handler.name}</Code>;
  return (
    <Link to="/jobs/$id/code" params={{ id: job.key } as never}>
      {t("script", { kind: scriptNames[job.handler?.kind ?? "named"] })}
    </Link>
  );
}

function Links({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const form = useWords(formWords);
  const found = useQuery({
    queryKey: ["/jobs", "links", job.namespace, job.key],
    queryFn: async ({ signal }) => {
      const { jobs } = await allJobs({ namespace: job.namespace }, signal);
      const childOf = (one: Job) => one.children?.find((child) => child.key === job.key);
      return {
        parents: jobs.flatMap((one) => {
          const child = childOf(one);
          return child ? [{ key: one.key, on: child.on ?? "success" }] : [];
        }),
        instances: jobs.filter((one) => one.template === job.key).map((one) => one.key),
      };
    },
    staleTime: 60_000,
  });
  const children = (job.children ?? []).map((child) => ({ key: child.key ?? "", on: child.on ?? "success" }));
  const { parents = [], instances = [] } = found.data ?? {};
  const none = found.data && children.length + parents.length + instances.length === 0 && !job.template;
  const list = (all: { key: string; on?: string }[]) => (
    <span className="flex flex-col gap-0.5">
      {all.map((one) => (
        <span key={one.key}>
          <Link to="/jobs/$id" params={{ id: one.key } as never} className="underline">
            {one.key}
          </Link>
          {one.on && <span className="text-faint"> · {form(one.on as "success")}</span>}
        </span>
      ))}
    </span>
  );
  return (
    <Section title={t("links")}>
      {!found.data && !found.error && <SkeletonText lines={2} />}
      {found.error && <ErrorState compact problem={found.error} />}
      {none && <p className="text-faint">{t("noLinks")}</p>}
      <KeyValue
        items={[
          [t("parents"), parents.length > 0 && list(parents)],
          [t("children"), children.length > 0 && list(children)],
          [t("ofTemplate"), job.template && list([{ key: job.template }])],
          [t("instances"), instances.length > 0 && list(instances.map((key) => ({ key })))],
        ].map(([label, value]) => [label, value || ""] as const)}
      />
    </Section>
  );
}
