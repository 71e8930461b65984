import { useNavigate, useParams } from "@tanstack/react-router";
import { Eye, Mail } from "lucide-react";
import { useState } from "react";
import { useGet, useList } from "@/api/query";
import type { RunState, Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { RunLink } from "@/pages/runs/columns";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { count } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { StateBadge, stateLooks } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { About, type Alarm, AlarmState, KindName, Notes, RuleLink, Severity } from "./cells";
import { NoteDialog, notable } from "./NoteDialog";
import { alarmWords } from "./words";

type Entry = Schema<"AlarmEntry">;

/** One alarm with all its events. */
export function AlarmPage() {
  const t = useWords(alarmWords);
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { whyNot } = useSession();
  const [noting, setNoting] = useState(false);
  const { data: alarm, error, refetch } = useGet("/alarms/{id}", { path: { id } });
  return (
    <>
      <PageHeader
        title={t("one", { id })}
        crumbs={[
          <Link key="alarms" to="/alarms">
            {t("title")}
          </Link>,
        ]}
        badges={
          alarm && (
            <>
              <AlarmState of={alarm.state} />
              <Severity of={alarm.severity} />
              <Notes alarm={alarm} />
            </>
          )
        }
        actions={
          alarm && (
            <>
              {alarm.rule && (
                <ButtonLink to="/alarms/messages" icon={Mail} search={{ rule: alarm.rule } as never}>
                  {t("theMessages")}
                </ButtonLink>
              )}
              <Button
                look="main"
                icon={Eye}
                reason={
                  whyNot("operate", alarm.namespace, alarm.group) ?? (notable(alarm) ? undefined : t("nothingToNote"))
                }
                onClick={() => setNoting(true)}
              >
                {t("note")}
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        {error && !alarm ? (
          <ErrorState problem={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <Section>{alarm ? <Facts alarm={alarm} /> : <SkeletonText lines={5} />}</Section>
            <Entries id={id} />
          </>
        )}
      </div>
      {noting && alarm && <NoteDialog alarms={[alarm]} onClose={() => setNoting(false)} />}
    </>
  );
}

function Facts({ alarm }: { alarm: Alarm }) {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  return (
    <KeyValue
      columns={2}
      items={[
        [t("kind"), <KindName key="kind" of={alarm.kind} />],
        [t("rule"), <RuleLink key="rule" of={alarm} />],
        [t("about"), <About key="about" alarm={alarm} />],
        [shared("group"), alarm.group],
        [shared("namespace"), alarm.namespace],
        [t("events"), count(alarm.count, language)],
        [t("first"), <Time key="first" at={alarm.first_at} />],
        [t("last"), <Time key="last" at={alarm.last_at} />],
        [shared("ended"), alarm.ended_at && <Time at={alarm.ended_at} />],
        [t("lastRun"), alarm.last_run_id && <RunLink id={alarm.last_run_id} />],
        [t("noted"), alarm.noted_at && <Time at={alarm.noted_at} />],
        [t("silenced"), alarm.silenced_by && t("silencedBy", { by: alarm.silenced_by })],
        [shared("reason"), reasonText(alarm.reason)],
      ]}
    />
  );
}

function Entries({ id }: { id: string }) {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const list = useList("/alarms/{id}/entries", "after", { path: { id }, query: { limit: 100 } });
  const columns: Column<Entry>[] = [
    { id: "at", title: shared("created"), cell: (one) => <Time at={one.at} as="absolute" />, width: "12rem" },
    {
      id: "state",
      title: shared("state"),
      width: "8rem",
      cell: (one) =>
        one.state && one.state in stateLooks ? <StateBadge bare state={one.state as RunState} /> : (one.state ?? ""),
    },
    { id: "run", title: shared("run"), cell: (one) => one.run_id && <RunLink id={one.run_id} />, width: "6rem" },
    { id: "job", title: shared("job"), cell: (one) => one.job_key, className: "max-w-60 truncate" },
    {
      id: "reason",
      title: shared("reason"),
      className: "w-full max-w-0 min-w-44 truncate",
      cell: (one) => (
        <span className="text-soft" title={reasonText(one.reason)}>
          {reasonText(one.reason)}
        </span>
      ),
    },
  ];
  return (
    <Section flush title={t("entries")} text={t("entriesText")}>
      <Table
        label={t("entries")}
        columns={columns}
        rows={list.data?.flatMap((page) => page.entries)}
        rowKey={(one) => one.event_id}
        problem={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(one) => one.run_id && void navigate({ to: "/runs/$id", params: { id: one.run_id } } as never)}
        hasMore={list.hasNextPage}
        onMore={() => void list.fetchNextPage()}
        loadingMore={list.isFetchingNextPage}
        empty={<Empty title={t("noEntries")} />}
      />
    </Section>
  );
}
