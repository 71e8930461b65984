import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bell, Eye } from "lucide-react";
import { useState } from "react";
import { useList } from "@/api/query";
import { reasonText } from "@/pages/explanation/reasonText";
import { numberClass, RunLink } from "@/pages/runs/columns";
import { prune } from "@/pages/runs/filters";
import { jobPlace } from "@/pages/runs/jobPlace";
import { groupFinder, jobFinder } from "@/pages/runs/useRunFilters";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar, type FilterValues } from "@/ui/FilterBar";
import { count } from "@/ui/format";
import { inSpaces } from "@/ui/inSpaces";
import { ButtonLink, Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { SelectionBar } from "@/ui/SelectionBar";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AlarmsFrame } from "./AlarmsFrame";
import { About, type Alarm, AlarmState, KindName, Notes, RuleLink, Severity } from "./cells";
import { NoteDialog, notable } from "./NoteDialog";
import { kinds } from "./rules/rule";
import { useDefinitionOptions } from "./useDefinitions";
import { alarmWords, kindWords } from "./words";

/** The alarms: what goes on, and what is over. */
export function AlarmsPage() {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/alarms" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const { whyNot } = useSession();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [noting, setNoting] = useState<Alarm[] | null>(null);
  const { state, rule, kind, job, group, since, until } = search;
  const query = prune({
    ...jobPlace(job, namespace),
    state: state ?? "all",
    rule,
    kind,
    group,
    since,
    until,
    limit: 50,
  });
  const list = useList("/alarms", "before", { query: query as never });
  const rows = list.data?.flatMap((page) => page.alarms);
  const columns = inSpaces(useManySpaces(rows), useColumns(), shared("namespace"));
  const filters = useFilters(namespace);
  const change = (changed: FilterValues) => {
    setSelected(new Set());
    void navigate({ to: "/alarms", search: (before: object) => prune({ ...before, ...changed }) } as never);
  };
  const open = (rows ?? []).filter((one) => selected.has(one.id) && notable(one));
  const refused = open.map((one) => whyNot("operate", one.namespace, one.group)).find(Boolean);
  return (
    <AlarmsFrame part="/alarms">
      <FilterBar filters={filters} values={search as FilterValues} onChange={change} />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.id}
          problem={list.error}
          onRetry={() => void list.refetch()}
          selected={selected}
          onSelect={setSelected}
          onOpen={(one) => void navigate({ to: "/alarms/$id", params: { id: one.id } } as never)}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
          empty={
            <Empty
              icon={Bell}
              title={t("emptyFiring")}
              action={<ButtonLink to="/alarms/rules">{t("toRules")}</ButtonLink>}
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
        <Button
          size="small"
          icon={Eye}
          reason={refused ?? (open.length === 0 ? t("nothingToNote") : undefined)}
          onClick={() => setNoting(open)}
        >
          {t("noteN", { count: open.length })}
        </Button>
      </SelectionBar>
      {noting && (
        <NoteDialog
          alarms={noting}
          onClose={() => {
            setNoting(null);
            setSelected(new Set());
          }}
        />
      )}
    </AlarmsFrame>
  );
}

function useColumns(): Column<Alarm>[] {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  return [
    {
      id: "id",
      title: t("id"),
      fixed: true,
      width: "4rem",
      cell: (one) => (
        <Link to="/alarms/$id" params={{ id: one.id } as never} className={numberClass}>
          {one.id}
        </Link>
      ),
    },
    { id: "state", title: shared("state"), cell: (one) => <AlarmState of={one.state} /> },
    { id: "severity", title: t("severity"), cell: (one) => <Severity of={one.severity} /> },
    { id: "kind", title: t("kind"), className: "whitespace-nowrap", cell: (one) => <KindName of={one.kind} /> },
    { id: "about", title: t("about"), className: "max-w-60 truncate", cell: (one) => <About alarm={one} /> },
    { id: "rule", title: t("rule"), className: "max-w-48 truncate", cell: (one) => <RuleLink of={one} /> },
    {
      id: "reason",
      title: shared("reason"),
      className: "w-full max-w-0 min-w-28 truncate",
      cell: (one) => (
        <span className="text-soft" title={reasonText(one.reason)}>
          {reasonText(one.reason)}
        </span>
      ),
    },
    {
      id: "run",
      title: t("lastRun"),
      cell: (one) => one.last_run_id && <RunLink id={one.last_run_id} />,
    },
    {
      id: "count",
      title: t("events"),
      align: "right",
      cell: (one) => <span className="tabular-nums">{count(one.count, language)}</span>,
    },
    { id: "first", title: t("first"), cell: (one) => <Time at={one.first_at} /> },
    { id: "noted", title: t("noted"), cell: (one) => <Notes alarm={one} /> },
  ];
}

function useFilters(namespace: string): Filter[] {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const kind = useWords(kindWords);
  const { rules } = useDefinitionOptions(namespace);
  return [
    {
      name: "state",
      label: shared("state"),
      kind: "one",
      pinned: true,
      options: (["firing", "resolved"] as const).map((value) => ({ value, label: t(value) })),
    },
    {
      name: "kind",
      label: t("kind"),
      kind: "one",
      pinned: true,
      options: kinds.map((value) => ({ value, label: kind(value) })),
    },
    { name: "rule", label: t("rule"), kind: "one", pinned: true, options: rules },
    { name: "job", label: shared("job"), kind: "one", pinned: true, options: jobFinder(namespace) },
    { name: "group", label: shared("group"), kind: "one", options: groupFinder(namespace) },
    { name: "since", label: t("since"), kind: "time" },
    { name: "until", label: t("until"), kind: "time" },
  ];
}
