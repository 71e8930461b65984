import { useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { Maximize2 } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import type { Run } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { Badge } from "@/ui/Badge";
import { Code } from "@/ui/Code";
import { Elapsed } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { JsonView } from "@/ui/JsonView";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { LogView } from "@/ui/LogView";
import { hashOfRange, rangeOfHash } from "@/ui/log/window";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Skeleton, SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { causeWords, sharedWords } from "@/words/shared";
import { Attempts } from "./Attempts";
import { JobLink, Lag } from "./columns";
import { RelatedRuns } from "./RelatedRuns";
import { RunActions } from "./RunActions";
import { Shards } from "./Shards";
import { Timeline } from "./Timeline";
import { whyOf } from "./timeline";
import { useRun } from "./useRun";
import { Why } from "./Why";
import { WhyLine } from "./WhyLine";
import { runsWords } from "./words";

/** All of one run. */
export function RunPage() {
  const { id } = useParams({ from: "/shell/runs/$id" });
  const t = useWords(runsWords);
  const { run, problem, retry } = useRun(id);
  const crumbs = [
    <Link key="runs" to="/runs">
      {t("title")}
    </Link>,
  ];
  if (!run) {
    return (
      <>
        <PageHeader title={t("run", { id })} crumbs={crumbs} />
        {problem ? <ErrorState problem={problem} onRetry={retry} /> : <Loading />}
      </>
    );
  }
  const why = reasonText(whyOf(run));
  return (
    <>
      <PageHeader
        title={t("run", { id })}
        crumbs={crumbs}
        text={why && <WhyLine text={why} />}
        badges={
          <>
            <StateBadge state={run.state} />
            {run.shard && <Badge>{t("shardOf", { index: run.shard.index + 1, total: run.shard.total })}</Badge>}
            <LetterBadge run={run} />
          </>
        }
        actions={<RunActions key={run.id} run={run} namespace={run.namespace} group={run.group} />}
      />
      <RunBody key={id} run={run} />
    </>
  );
}

function Loading() {
  return (
    <div aria-busy="true" className="flex flex-col gap-4">
      <Skeleton className="h-24" />
      <SkeletonText lines={5} />
    </div>
  );
}

function LetterBadge({ run }: { run: Run }) {
  const t = useWords(runsWords);
  const letter = run.dead_letter;
  if (!letter) return null;
  return (
    <Link to="/dead-letters/$id" params={{ id: run.id }} className="hover:no-underline">
      <Badge tone={letter.status === "open" ? "warn" : "idle"}>{t("deadLetter")}</Badge>
    </Link>
  );
}

function RunBody({ run }: { run: Run }) {
  const t = useWords(runsWords);
  const navigate = useNavigate();
  const { hash } = useLocation();
  const [attempt, setAttempt] = useState<string>();
  const list = useGet("/runs/{id}/attempts", { path: { id: run.id } }, { refetchInterval: run.final ? false : 5_000 });
  const told = useGet("/runs/{id}/explanation", { path: { id: run.id } });
  const attempts = list.data?.attempts;
  const marked = rangeOfHash(hash);
  return (
    <div className="flex flex-col gap-4">
      <Section title={t("way")}>
        <Timeline run={run} attempts={attempts ?? []} />
      </Section>
      <div className="grid gap-4 lg:grid-cols-2">
        <Facts run={run} />
        <Input run={run} />
      </div>
      {!run.shards && (
        <Section title={t("attempts")} flush>
          {list.error && !attempts ? (
            <ErrorState problem={list.error} onRetry={() => void list.refetch()} />
          ) : (
            <Attempts
              attempts={attempts}
              current={attempt}
              onOpen={(one) => {
                setAttempt(one.id);
                document.getElementById("run-log")?.scrollIntoView({ block: "start" });
              }}
            />
          )}
        </Section>
      )}
      <Shards run={run} />
      {!run.shards && (
        <div id="run-log" className="scroll-mt-16">
          <Section
            title={t("log")}
            flush
            actions={
              <ButtonLink to="/runs/$id/log" params={{ id: run.id }} look="quiet" size="small" icon={Maximize2}>
                {t("wholeLog")}
              </ButtonLink>
            }
          >
            <LogView
              key={attempt ?? ""}
              runId={run.id}
              attemptId={attempt}
              marked={marked}
              onMark={(range) =>
                void navigate({
                  to: ".",
                  search: true,
                  hash: hashOfRange(range),
                  replace: true,
                  hashScrollIntoView: false,
                  resetScroll: false,
                })
              }
            />
          </Section>
        </div>
      )}
      <Why run={run} />
      <RelatedRuns run={run} facts={told.data?.facts ?? (told.error ? [] : undefined)} />
    </div>
  );
}

function Facts({ run }: { run: Run }) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const cause = useWords(causeWords);
  const letter = run.dead_letter;
  return (
    <Section title={t("facts")}>
      <KeyValue
        items={[
          [shared("job"), <JobLink key="job" run={run} />],
          [shared("cause"), cause(run.cause as Parameters<typeof cause>[0])],
          [t("by"), run.by],
          [shared("planned"), run.planned_at && <Time key="planned" at={run.planned_at} as="absolute" />],
          [t("lag"), run.planned_at && <Lag key="lag" run={run} />],
          [
            t("duration"),
            <Elapsed key="took" from={run.started_at} to={run.final ? (run.ended_at ?? run.started_at) : undefined} />,
          ],
          [shared("group"), run.group],
          [shared("namespace"), run.namespace],
          [shared("executor"), run.executor && <Code key="executor">{run.executor}</Code>],
          [t("addresses"), run.addresses?.join(", ")],
          [t("attempts"), run.tries],
          [t("readyAt"), !run.final && run.ready_at ? <Time key="ready" at={run.ready_at} /> : undefined],
          [shared("reason"), reasonText(run.reason) || undefined],
          [
            t("deadLetter"),
            letter &&
              (letter.status === "redriven"
                ? t("letter_redriven", { id: letter.redriven_run ?? "" })
                : letter.status === "closed"
                  ? t("letter_closed", { why: reasonText(letter.closed_reason) })
                  : t("letter_open")),
          ],
        ]}
      />
    </Section>
  );
}

/** Parameter and result of the run. Absent and empty differ. */
function Input({ run }: { run: Run }) {
  const t = useWords(runsWords);
  return (
    <Section title={t("input")}>
      <div className="flex flex-col gap-3">
        <div>
          <h3 className="mb-1 font-medium text-faint text-xs">{t("param")}</h3>
          {run.param === undefined ? (
            <p className="text-soft">{t("noParam")}</p>
          ) : run.param === "" ? (
            <Badge>{t("emptyParam")}</Badge>
          ) : (
            <JsonView value={run.param} />
          )}
        </div>
        <div>
          <h3 className="mb-1 font-medium text-faint text-xs">{t("result")}</h3>
          {run.message ? (
            <JsonView value={reasonText(run.message)} />
          ) : (
            <p className="text-soft">{run.final ? t("noResult") : t("notOver")}</p>
          )}
        </div>
      </div>
    </Section>
  );
}
