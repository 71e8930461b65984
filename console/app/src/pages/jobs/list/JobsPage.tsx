import { useNavigate } from "@tanstack/react-router";
import { Download, EllipsisVertical, ListChecks, Plus, Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { useList } from "@/api/query";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { everySpace, inSpace, useManySpaces, useNamespace, useSpaceFor } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { ColumnChooser } from "@/ui/ColumnChooser";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { IconButton } from "@/ui/IconButton";
import { inSpaces } from "@/ui/inSpaces";
import { ButtonLink } from "@/ui/Link";
import { Menu, MenuItem, MenuLabel, MenuLine } from "@/ui/Menu";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SelectionBar } from "@/ui/SelectionBar";
import { Table } from "@/ui/Table";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { JobAction } from "../actions";
import { allJobs } from "../allJobs";
import { type BulkAction, BulkDialog, type BulkTarget } from "../dialogs/BulkDialog";
import { ImportDialog } from "../dialogs/ImportDialog";
import { JobDialog } from "../dialogs/JobDialog";
import { jobRefText, parseJobRef } from "../jobRef";
import { download, fileOf } from "../manifest";
import { jobsWords } from "../words";
import { jobColumns } from "./columns";
import { SavedViews } from "./SavedViews";
import { isNarrowed, type JobSearch, queryOf } from "./search";
import { useJobFilters } from "./useJobFilters";
import { useJobSearch } from "./useJobSearch";

const pageSize = 50;
type Bulk = { action: BulkAction; target: BulkTarget };

/** The list of jobs. */
export function JobsPage() {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const space = useSpaceFor("edit");
  const namespace = shown || everySpace;
  const { search, change, show } = useJobSearch();
  const { may } = useSession();
  const mayEdit = shown ? may("edit", shown) : may("edit");
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [open, setOpen] = useState<{ deed: JobAction; job: Job } | null>(null);
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const [importing, setImporting] = useState(false);
  const filters = useJobFilters(namespace);
  const query = { ...queryOf(search, namespace), with: "recent" as const, limit: pageSize };
  const list = useList("/jobs", "after", { query }, { refetchInterval: 10_000 });
  const rows = list.data?.flatMap((page) => page.jobs);
  const many = useManySpaces(rows);
  const columns = useMemo(
    () =>
      inSpaces(
        many,
        jobColumns(t, shared, shown, (deed, job) => setOpen({ deed, job })),
        shared("namespace"),
      ),
    [t, shared, shown, many],
  );
  const exported = useExport(namespace);
  const chosen = [...selected].map(parseJobRef);
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <>
            <WholeMenu
              onBulk={(action) => setBulk({ action, target: { search } })}
              onExport={() => void exported({ search })}
              onImport={mayEdit ? () => setImporting(true) : undefined}
            />
            {mayEdit && (
              <ButtonLink look="main" icon={Plus} to="/jobs/new">
                {t("newJob")}
              </ButtonLink>
            )}
          </>
        }
      />
      <FilterBar
        filters={filters}
        values={search}
        onChange={(changed) => change(changed as Partial<JobSearch>)}
        search="text"
        searchLabel={t("searchLabel")}
      >
        <SavedViews search={search} onShow={show} />
        <ColumnChooser columns={columns} shown={search.columns} onChange={(shown) => change({ columns: shown })} />
      </FilterBar>
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={jobRefText}
          rowName={many ? jobRefText : (job) => job.key}
          problem={list.error}
          onRetry={() => void list.refetch()}
          empty={<NoJobs narrowed={isNarrowed(search)} mayEdit={mayEdit} onClear={() => show({})} />}
          shown={search.columns}
          sort={search.sort ?? "key"}
          onSort={(sort) => change({ sort: sort === "key" ? undefined : sort })}
          selected={selected}
          onSelect={setSelected}
          onOpen={(job) =>
            void navigate({ to: "/jobs/$id", params: { id: job.key }, search: inSpace(shown, job.namespace) } as never)
          }
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
        />
      </Section>
      <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
        {bulkActions.map(([action, word]) => (
          <Button
            key={action}
            size="small"
            look={action === "delete" ? "dangerPlain" : "plain"}
            onClick={() => setBulk({ action, target: { places: chosen } })}
          >
            {t(word).replace(/\s*…$/, "")}
          </Button>
        ))}
        <Button size="small" icon={Download} onClick={() => void exported({ places: chosen })}>
          {t("export")}
        </Button>
      </SelectionBar>
      {open && <JobDialog deed={open.deed} job={open.job} onClose={() => setOpen(null)} />}
      {bulk && <BulkDialog {...bulk} namespace={namespace} onClose={() => setBulk(null)} />}
      {importing && <ImportDialog namespace={space} onClose={() => setImporting(false)} />}
    </>
  );
}

const bulkActions = [
  ["start", "start"],
  ["stop", "stop"],
  ["trigger", "run"],
  ["label", "setLabels"],
  ["delete", "delete"],
] as const;

function useExport(namespace: string) {
  const t = useWords(jobsWords);
  const toast = useToast();
  return async (target: BulkTarget) => {
    try {
      const query = "search" in target ? queryOf(target.search, namespace) : { namespace };
      const { jobs } = await allJobs(query);
      const places = "places" in target ? new Set(target.places.map(jobRefText)) : null;
      const wanted = places ? jobs.filter((job) => places.has(jobRefText(job))) : jobs;
      download(`jobs-${namespace === everySpace ? "all" : namespace}.json`, fileOf(wanted));
      toast.done(t("exported", { n: wanted.length }));
    } catch (error) {
      toast.failed(error);
    }
  };
}

function WholeMenu({
  onBulk,
  onExport,
  onImport,
}: {
  onBulk: (action: BulkAction) => void;
  onExport: () => void;
  onImport?: () => void;
}) {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  return (
    <Menu trigger={<IconButton icon={EllipsisVertical} look="plain" label={shared("moreActions")} />}>
      <MenuLabel>{t("allMatching")}</MenuLabel>
      {bulkActions.map(([action, word]) => (
        <MenuItem key={action} danger={action === "delete"} onSelect={() => onBulk(action)}>
          {t(word)}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={Download} onSelect={onExport}>
        {t("exportAll")}
      </MenuItem>
      {onImport && (
        <MenuItem icon={Upload} onSelect={onImport}>
          {t("import")} …
        </MenuItem>
      )}
    </Menu>
  );
}

function NoJobs({ narrowed, mayEdit, onClear }: { narrowed: boolean; mayEdit: boolean; onClear: () => void }) {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  if (narrowed) {
    return (
      <Empty
        icon={ListChecks}
        title={t("noneTitle")}
        action={<Button onClick={onClear}>{shared("clearFilters")}</Button>}
      >
        {t("noneText")}
      </Empty>
    );
  }
  return (
    <Empty
      icon={ListChecks}
      title={t("emptyTitle")}
      action={
        mayEdit && (
          <ButtonLink look="main" icon={Plus} to="/jobs/new">
            {t("newJob")}
          </ButtonLink>
        )
      }
      command="orth job create hello --group default --handler hello --every 30s --enable"
    >
      {t("emptyText")}
    </Empty>
  );
}
