import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Archive, Inbox, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useList } from "@/api/query";
import type { Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { JobLink, numberClass } from "@/pages/runs/columns";
import { prune } from "@/pages/runs/filters";
import { jobPlace } from "@/pages/runs/jobPlace";
import { oneLine } from "@/pages/runs/timeline";
import { groupFinder, jobFinder } from "@/pages/runs/useRunFilters";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { Badge, type Tone } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ColumnChooser } from "@/ui/ColumnChooser";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar, type FilterValues } from "@/ui/FilterBar";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SelectionBar } from "@/ui/SelectionBar";
import { StateBadge } from "@/ui/StateBadge";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { causeWords, sharedWords, stateWords } from "@/words/shared";
import { type Resolution, ResolveDialog, type Which } from "./ResolveDialog";
import type { LetterSearch } from "./route";
import { letterWords } from "./words";

type Letter = Schema<"DeadLetter">;

const tones: Record<string, Tone> = { open: "warn", redriven: "busy", closed: "idle" };

/** The status of a dead letter. */
export function LetterStatus({ status }: { status: Letter["status"] }) {
  const t = useWords(letterWords);
  return <Badge tone={tones[status ?? "open"]}>{t(status ?? "open")}</Badge>;
}

/** Runs that ended badly for good, and what is to be done about them. */
export function DeadLettersPage() {
  const t = useWords(letterWords);
  const search = useSearch({ from: "/shell/dead-letters" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { namespace } = useNamespace();
  const { whyNot } = useSession();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ settling: Resolution; which: Which } | null>(null);
  const { cols, ...rest } = search;
  const narrowed = prune({ ...rest, ...jobPlace(rest.job, namespace) });
  const list = useList("/dead-letters", "before", { query: { ...narrowed, limit: 50 } });
  const rows = list.data?.flatMap((page) => page.dead_letters);
  const columns = useColumns();
  const filters = useFilters(namespace);
  const change = (changed: FilterValues) => {
    setSelected(new Set());
    void navigate({ to: "/dead-letters", search: (before) => prune({ ...before, ...changed }) as LetterSearch });
  };
  const open = (rows ?? []).filter((one) => selected.has(one.run_id) && one.status === "open");
  const refused = open.map((one) => whyNot("operate", one.namespace, one.group)).find(Boolean);
  const { status: _, ...filter } = narrowed as typeof narrowed & { status?: string };
  const any = whyNot("operate", namespace || undefined);
  const shut = search.status && search.status !== "all" ? t("notOpen") : undefined;
  return (
    <>
      <PageHeader
        title={t("title")}
        text={t("text")}
        actions={
          <>
            <Button
              icon={Archive}
              reason={any ?? shut}
              disabled={!rows?.length}
              onClick={() => setAsked({ settling: "close", which: { filter } })}
            >
              {t("closeAll")}
            </Button>
            <Button
              icon={RotateCcw}
              reason={any ?? shut}
              disabled={!rows?.length}
              onClick={() => setAsked({ settling: "redrive", which: { filter } })}
            >
              {t("redriveAll")}
            </Button>
          </>
        }
      />
      <FilterBar
        filters={filters}
        values={search as FilterValues}
        onChange={change}
        search="text"
        searchLabel={t("search")}
      >
        <ColumnChooser columns={columns} shown={cols} onChange={(next) => change({ cols: next })} />
      </FilterBar>
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.run_id}
          problem={list.error}
          onRetry={() => void list.refetch()}
          shown={cols}
          selected={selected}
          onSelect={setSelected}
          onOpen={(one) => void navigate({ to: "/dead-letters/$id", params: { id: one.run_id } })}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
          empty={
            <Empty icon={Inbox} title={t("empty")}>
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
        {(["redrive", "close"] as const).map((settling) => (
          <Button
            key={settling}
            size="small"
            icon={settling === "redrive" ? RotateCcw : Archive}
            reason={refused ?? (open.length === 0 ? t("notOpen") : undefined)}
            onClick={() => setAsked({ settling, which: { runs: open.map((one) => one.run_id) } })}
          >
            {t(settling === "redrive" ? "redriveN" : "closeN", { count: open.length })}
          </Button>
        ))}
      </SelectionBar>
      {asked && (
        <ResolveDialog
          {...asked}
          onClose={(done) => {
            setAsked(null);
            if (!done) return;
            setSelected(new Set());
            void queries.invalidateQueries({ queryKey: ["/dead-letters"] });
          }}
        />
      )}
    </>
  );
}

function useColumns(): Column<Letter>[] {
  const t = useWords(letterWords);
  const shared = useWords(sharedWords);
  const cause = useWords(causeWords);
  return [
    {
      id: "run",
      title: shared("run"),
      cell: (one) => (
        <Link to="/dead-letters/$id" params={{ id: one.run_id }} className={numberClass}>
          {one.run_id}
        </Link>
      ),
      fixed: true,
      width: "6rem",
    },
    { id: "state", title: shared("state"), cell: (one) => <StateBadge state={one.state ?? "failed"} />, width: "8rem" },
    { id: "job", title: shared("job"), cell: (one) => <JobLink run={one} />, className: "max-w-72 truncate" },
    { id: "group", title: shared("group"), cell: (one) => one.group },
    { id: "namespace", title: shared("namespace"), cell: (one) => one.namespace, extra: true },
    { id: "ended", title: shared("ended"), cell: (one) => <Time at={one.ended_at} /> },
    { id: "planned", title: shared("planned"), cell: (one) => <Time at={one.planned_at} />, extra: true },
    {
      id: "cause",
      title: shared("cause"),
      cell: (one) => cause(one.cause as Parameters<typeof cause>[0]),
      extra: true,
    },
    { id: "tries", title: t("tries"), cell: (one) => one.tries, align: "right" },
    { id: "status", title: t("status"), cell: (one) => <LetterStatus status={one.status} /> },
    {
      id: "message",
      title: shared("message"),
      cell: (one) => {
        const text = reasonText(one.message || one.reason);
        return (
          <span className="text-soft" title={text}>
            {oneLine(text)}
          </span>
        );
      },
      className: "w-full max-w-0 min-w-48 truncate",
    },
  ];
}

function useFilters(namespace: string): Filter[] {
  const t = useWords(letterWords);
  const shared = useWords(sharedWords);
  const state = useWords(stateWords);
  return [
    {
      name: "status",
      label: t("status"),
      kind: "one",
      pinned: true,
      options: (["redriven", "closed", "all"] as const).map((value) => ({ value, label: t(value) })),
    },
    { name: "job", label: shared("job"), kind: "one", pinned: true, options: jobFinder(namespace) },
    { name: "group", label: shared("group"), kind: "one", options: groupFinder(namespace) },
    {
      name: "state",
      label: shared("state"),
      kind: "one",
      options: (["failed", "timed_out", "lost"] as const).map((value) => ({ value, label: state(value) })),
    },
    { name: "since", label: t("since"), kind: "time" },
    { name: "until", label: t("until"), kind: "time" },
  ];
}
