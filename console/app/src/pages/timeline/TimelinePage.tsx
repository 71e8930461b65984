import { useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarClock, ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { InstantInput } from "@/pages/jobs/dialogs/InstantInput";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { useSession } from "@/session/session";
import { useNamespace, useSpaceFor } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Combobox } from "@/ui/Combobox";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { absolute, count, offset, zone } from "@/ui/format";
import { IconButton } from "@/ui/IconButton";
import { ButtonLink } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Segmented } from "@/ui/Segmented";
import { SkeletonText } from "@/ui/Skeleton";
import { useLanguage, useWords } from "@/words";
import { type JobTimes, type Span, stepOf, within } from "./bins";
import { Crowds, Gaps, Remarks } from "./Findings";
import { Heat } from "./Heat";
import type { TimelineSearch } from "./route";
import { StripLegend } from "./Strip";
import { useBands } from "./useBands";
import { mostJobs, useTimeline } from "./useTimeline";
import { timelineWords } from "./words";

const hourMs = 3_600_000;

/** What fires when: heat strips of a day, collisions, gaps, and a time chosen for maintenance. */
export function TimelinePage() {
  const t = useWords(timelineWords);
  const [language] = useLanguage();
  const search = useSearch({ from: "/shell/timeline" });
  const { namespace } = useNamespace();
  const space = useSpaceFor("edit");
  const [hour] = useState(() => Math.floor(Date.now() / hourMs) * hourMs);
  const [span, setSpan] = useState<Span | null>(null);
  const asked = Date.parse(search.from ?? "");
  const from = Number.isFinite(asked) ? Math.floor(asked / 60_000) * 60_000 : hour;
  const hours = Number(search.hours ?? 24);
  const { data, error, refetch, isPlaceholderData } = useTimeline(namespace, search.group, from, hours);
  const bands = useBands(from, hours * 60);
  const fires = data?.jobs.some((job) => job.minutes.length > 0);
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <Controls {...{ search, namespace, from, hours }} onMoved={() => setSpan(null)} />
      <div className="flex flex-col gap-4">
        <Section
          title={`${absolute(from).slice(0, 16)} – ${absolute(from + hours * hourMs).slice(0, 16)}`}
          text={t("zone", { zone: `${zone} (${offset(from)})` })}
          actions={<StripLegend />}
        >
          {error && <ErrorState problem={error} compact onRetry={() => void refetch()} />}
          {!data && !error && (
            <div aria-busy="true">
              <SkeletonText lines={8} />
            </div>
          )}
          {data && !fires && (
            <Empty
              icon={CalendarClock}
              title={t("emptyTitle")}
              action={<ButtonLink to="/jobs">{t("toJobs")}</ButtonLink>}
            >
              {t("emptyText")}
            </Empty>
          )}
          {data && fires && (
            <div className={isPlaceholderData ? "opacity-60" : undefined} aria-busy={isPlaceholderData || undefined}>
              <Heat
                jobs={data.jobs}
                bands={bands}
                namespace={namespace}
                by={search.by ?? "groups"}
                from={from}
                minutes={hours * 60}
                step={stepOf(hours)}
                span={span}
                onSpan={setSpan}
              />
            </div>
          )}
          {data?.more && <p className="mt-3 text-warn">{t("cut", { n: count(mostJobs, language) })}</p>}
        </Section>
        {data && (
          <>
            <Chosen jobs={data.jobs} from={from} namespace={space} span={span} onSpan={setSpan} />
            <div className="grid gap-4 lg:grid-cols-2">
              <Crowds jobs={data.jobs} from={from} />
              <Gaps jobs={data.jobs} from={from} minutes={hours * 60} onPick={setSpan} />
            </div>
            <Remarks jobs={data.jobs} />
          </>
        )}
      </div>
    </>
  );
}

function Controls({
  search,
  namespace,
  from,
  hours,
  onMoved,
}: {
  search: TimelineSearch;
  namespace: string;
  from: number;
  hours: number;
  onMoved: () => void;
}) {
  const t = useWords(timelineWords);
  const navigate = useNavigate();
  const change = (changed: TimelineSearch) => {
    if (!("by" in changed)) onMoved();
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...changed }), replace: true } as never);
  };
  const move = (by: number) => change({ from: new Date(from + by * hours * hourMs).toISOString() });
  return (
    <div role="toolbar" aria-label={t("window")} className="mb-3 flex flex-wrap items-center gap-2">
      <IconButton look="plain" icon={ChevronLeft} label={t("before")} onClick={() => move(-1)} />
      <Button onClick={() => change({ from: undefined })}>{t("now")}</Button>
      <IconButton look="plain" icon={ChevronRight} label={t("later")} onClick={() => move(1)} />
      <Segmented
        label={t("window")}
        value={search.hours ?? "24"}
        onChange={(next) => change({ hours: next === "24" ? undefined : next })}
        options={(["6", "12", "24", "48"] as const).map((value) => ({ value, label: t("hours", { n: value }) }))}
      />
      <Segmented
        label={t("rows")}
        value={search.by ?? "groups"}
        onChange={(next) => change({ by: next === "jobs" ? "jobs" : undefined })}
        options={[
          { value: "groups", label: t("byGroups") },
          { value: "jobs", label: t("byJobs") },
        ]}
      />
      <span className="w-52">
        <Combobox
          label={t("group")}
          placeholder={t("group")}
          clearable
          value={search.group ?? ""}
          onChange={(group) => change({ group: group || undefined })}
          options={groupFinder(namespace)}
        />
      </span>
    </div>
  );
}

/** The chosen time: what fires in it, and the way to a pause for it. */
function Chosen({
  jobs,
  from,
  namespace,
  span,
  onSpan,
}: {
  jobs: readonly JobTimes[];
  from: number;
  namespace: string;
  span: Span | null;
  onSpan: (span: Span | null) => void;
}) {
  const t = useWords(timelineWords);
  const [language] = useLanguage();
  const { may } = useSession();
  const found = useMemo(() => (span ? within(jobs, span) : null), [jobs, span]);
  const at = (minute: number) => new Date(from + minute * 60_000).toISOString();
  const minuteOf = (value: string) => Math.round((Date.parse(value) - from) / 60_000);
  const turned = span !== null && span.until <= span.from;
  const ns = namespace === "default" ? undefined : namespace;
  return (
    <Section title={t("range")} text={t("rangeHelp")}>
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t("from")}>
          <InstantInput
            value={span ? at(span.from) : ""}
            onChange={(value) => {
              if (value) onSpan({ from: minuteOf(value), until: span?.until ?? minuteOf(value) + 60 });
            }}
          />
        </Field>
        <Field label={t("until")} error={turned ? t("wrongRange") : undefined}>
          <InstantInput
            value={span ? at(span.until) : ""}
            onChange={(value) => {
              if (value) onSpan({ from: span?.from ?? minuteOf(value) - 60, until: minuteOf(value) });
            }}
          />
        </Field>
        {span && found && !turned && (
          <>
            <p role="status" className="flex h-8 items-center">
              {t("inRange", { firings: count(found.firings, language), jobs: count(found.jobs, language) })}
            </p>
            {may("edit", namespace) && (
              <ButtonLink
                look="main"
                to="/pauses"
                search={{ new: "1", from: at(span.from), until: at(span.until), ns } as never}
              >
                {t("pause")}
              </ButtonLink>
            )}
            <Button look="quiet" onClick={() => onSpan(null)}>
              {t("clear")}
            </Button>
          </>
        )}
      </div>
    </Section>
  );
}
