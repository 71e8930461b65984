import { useNavigate, useSearch } from "@tanstack/react-router";
import { Brush, Download, Play } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Run } from "@/api/types";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { ColumnChooser } from "@/ui/ColumnChooser";
import { Empty } from "@/ui/Empty";
import { FilterBar, type FilterValues } from "@/ui/FilterBar";
import { absolute } from "@/ui/format";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { useWords } from "@/words";
import { BulkActions } from "./BulkActions";
import { CleanDialog } from "./CleanDialog";
import { useRunColumns } from "./columns";
import { csvOf, saveFile } from "./csv";
import { bulkFilterOf, filtersSet, prune, type RunSearch, readSearch } from "./filters";
import { useRunFilters } from "./useRunFilters";
import { useRuns } from "./useRuns";
import { runsWords } from "./words";

/** All runs: live, by any filter that the API has. */
export function RunsPage() {
  const t = useWords(runsWords);
  const search = useSearch({ from: "/shell/runs" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const { whyNot } = useSession();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [cleaning, setCleaning] = useState(false);
  const columns = useRunColumns();
  const filters = useRunFilters(namespace);
  const head = useRef<HTMLDivElement>(null);
  const chosen = selected.size;
  // The reader is at the top of the list and holds nothing.
  const calm = useCallback(() => chosen === 0 && (head.current?.getBoundingClientRect().top ?? 0) > 0, [chosen]);
  const runs = useRuns(search, namespace, calm);
  const rows = useMemo(() => runs.pages?.flatMap((page) => page.runs), [runs.pages]);
  const change = (changed: FilterValues | Partial<RunSearch>) => {
    // A named range and instants shut each other out.
    const other =
      "time" in changed
        ? { from: undefined, to: undefined }
        : "from" in changed || "to" in changed
          ? { time: undefined }
          : {};
    setSelected(new Set());
    void navigate({
      to: "/runs",
      search: (before) => ({ ns: before.ns, ...readSearch(prune({ ...before, ...other, ...changed })) }),
    });
  };
  const sortedSince = runs.pages?.find((page) => page.since)?.since;
  return (
    <>
      <PageHeader
        title={t("title")}
        text={t("text")}
        actions={
          <>
            <Button icon={Download} onClick={() => save(rows ?? [])} disabled={!rows?.length}>
              {t("export")}
            </Button>
            <Button icon={Brush} reason={whyNot("own", namespace || undefined)} onClick={() => setCleaning(true)}>
              {t("clean")}
            </Button>
          </>
        }
      />
      <div ref={head}>
        <FilterBar
          filters={filters}
          values={{ ...search, min_tries: search.min_tries?.toString() } as FilterValues}
          onChange={change}
          search="text"
          searchLabel={t("search")}
        >
          <ColumnChooser columns={columns} shown={search.cols} onChange={(cols) => change({ cols })} />
        </FilterBar>
      </div>
      {sortedSince && (
        <p className="mb-2 text-soft text-xs">{t("sortedSince", { at: absolute(Date.parse(sortedSince)) })}</p>
      )}
      <div className="relative">
        {runs.fresh > 0 && (
          <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center">
            <Button
              look="main"
              size="small"
              className="pointer-events-auto rounded-full"
              onClick={() => {
                runs.showNew();
                head.current?.scrollIntoView({ block: "end" });
              }}
            >
              {t("newRuns", { count: runs.fresh })}
            </Button>
          </div>
        )}
        <Section flush>
          <Table
            label={t("table")}
            columns={columns}
            rows={rows}
            rowKey={(run) => run.id}
            problem={runs.error}
            onRetry={() => void runs.refetch()}
            shown={search.cols}
            sort={search.sort ?? "-created_at"}
            onSort={(sort) =>
              change(
                readSearch({ ...search, sort: sort === "created_at" ? "-created_at" : sort }).sort
                  ? { sort: sort as RunSearch["sort"] }
                  : { sort: undefined },
              )
            }
            selected={selected}
            onSelect={setSelected}
            onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.id } })}
            hasMore={runs.hasNextPage}
            onMore={() => void runs.fetchNextPage()}
            loadingMore={runs.isFetchingNextPage}
            stale={runs.isPlaceholderData}
            empty={<NoRuns search={search} more={runs.hasNextPage} onMore={() => void runs.fetchNextPage()} />}
          />
        </Section>
      </div>
      <BulkActions
        rows={(rows ?? []).filter((run) => selected.has(run.id))}
        filter={bulkFilterOf(search, Date.now(), namespace)}
        found={rows?.length ?? 0}
        onDone={() => {
          setSelected(new Set());
          void runs.refetch();
        }}
        onClear={() => setSelected(new Set())}
      />
      <CleanDialog
        open={cleaning}
        onClose={() => setCleaning(false)}
        job={search.job}
        onDone={() => void runs.refetch()}
      />
    </>
  );

  function save(all: readonly Run[]) {
    const lines = all.map((run) => [
      run.id,
      run.state,
      run.namespace,
      run.group,
      run.job_key ?? String(run.job_id),
      run.planned_at,
      run.created_at,
      run.started_at,
      run.ended_at,
      run.cause,
      run.by,
      run.tries,
      run.executor,
      run.reason,
      run.message,
    ]);
    const names =
      "id state namespace group job planned_at created_at started_at ended_at cause by tries executor reason message";
    saveFile(`runs-${absolute(Date.now()).slice(0, 10)}.csv`, "text/csv", csvOf(names.split(" "), lines));
  }
}

function NoRuns({ search, more, onMore }: { search: RunSearch; more: boolean; onMore: () => void }) {
  const t = useWords(runsWords);
  if (filtersSet(search) === 0) {
    return (
      <Empty icon={Play} title={t("empty")} command="orth job trigger KEY">
        {t("emptyText")}
      </Empty>
    );
  }
  return (
    <Empty
      icon={Play}
      title={t("emptyFilter")}
      action={more ? <Button onClick={onMore}>{t("searchOn")}</Button> : undefined}
    >
      {t("emptyFilterText")}
    </Empty>
  );
}
