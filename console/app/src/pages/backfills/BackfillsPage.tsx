import { useNavigate, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useList } from "@/api/query";
import type { Schema } from "@/api/types";
import { JobLink, numberClass } from "@/pages/runs/columns";
import { jobPlace } from "@/pages/runs/jobPlace";
import { jobFinder } from "@/pages/runs/useRunFilters";
import { useNamespace } from "@/shell/namespace";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { BackfillState, ProgressBar } from "./Progress";
import { partsOf } from "./progress";
import { backfillWords } from "./words";

type Backfill = Schema<"Backfill">;

/** All backfills, the newest first. */
export function BackfillsPage() {
  const t = useWords(backfillWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/backfills" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const list = useList(
    "/backfills",
    "before",
    { query: { ...jobPlace(search.job, namespace), limit: 50 } },
    { refetchInterval: 5_000 },
  );
  const columns: Column<Backfill>[] = [
    {
      id: "id",
      title: t("id"),
      cell: (one) => (
        <Link to="/backfills/$id" params={{ id: one.id }} className={numberClass}>
          {one.id}
        </Link>
      ),
      fixed: true,
      width: "6rem",
    },
    { id: "state", title: shared("state"), cell: (one) => <BackfillState state={one.state} />, width: "7rem" },
    { id: "job", title: shared("job"), cell: (one) => <JobLink run={one} />, className: "max-w-72 truncate" },
    {
      id: "range",
      title: t("range"),
      cell: (one) => (
        <span className="whitespace-nowrap text-soft">
          <Time at={one.from} as="absolute" /> – <Time at={one.to} as="absolute" />
        </span>
      ),
    },
    {
      id: "progress",
      title: t("progress"),
      cell: (one) => (
        <span className="flex items-center gap-3">
          <ProgressBar backfill={one} />
          <span className="whitespace-nowrap text-soft text-xs">
            {partsOf(one).done}/{one.slots}
          </span>
        </span>
      ),
      className: "w-full min-w-48",
    },
    { id: "failed", title: t("failed"), cell: (one) => one.failed, align: "right" },
    { id: "created", title: shared("created"), cell: (one) => <Time at={one.created_at} /> },
  ];
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <FilterBar
        filters={[{ name: "job", label: shared("job"), kind: "one", pinned: true, options: jobFinder(namespace) }]}
        values={{ job: search.job }}
        onChange={(changed) =>
          void navigate({
            to: "/backfills",
            search: (before) => ({ ...before, job: (changed.job as string) || undefined }),
          })
        }
      />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={list.data?.flatMap((page) => page.backfills)}
          rowKey={(one) => one.id}
          problem={list.error}
          onRetry={() => void list.refetch()}
          onOpen={(one) => void navigate({ to: "/backfills/$id", params: { id: one.id } })}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty
              icon={History}
              title={t("empty")}
              command="orth job backfill KEY --from 2026-03-01T00:00:00Z --to 2026-03-02T00:00:00Z"
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
    </>
  );
}
