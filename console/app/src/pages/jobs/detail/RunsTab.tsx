import { useNavigate } from "@tanstack/react-router";
import { ListVideo } from "lucide-react";
import { useMemo } from "react";
import { useList } from "@/api/query";
import type { Job } from "@/api/types";
import { Empty } from "@/ui/Empty";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { runColumns } from "./RunsTable";
import { jobWords } from "./words";

/** The runs of a job, the newest first. */
export function RunsTab({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const columns = useMemo(() => runColumns(shared), [shared]);
  const runs = useList(
    "/runs",
    "before",
    { query: { job: job.key, namespace: job.namespace, limit: 50 } },
    { refetchInterval: 10_000 },
  );
  return (
    <Section
      flush
      title={t("runs")}
      actions={
        <Link to="/runs" search={{ ns: job.namespace, job: job.key } as never}>
          {t("allRuns")}
        </Link>
      }
    >
      <Table
        label={t("runs")}
        columns={columns}
        rows={runs.data?.flatMap((page) => page.runs)}
        rowKey={(run) => run.id}
        problem={runs.error}
        onRetry={() => void runs.refetch()}
        onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.id } } as never)}
        empty={
          <Empty icon={ListVideo} title={t("noRuns")} command={`orth job trigger ${job.key}`}>
            {t("noRunsText")}
          </Empty>
        }
        hasMore={runs.hasNextPage}
        onMore={() => void runs.fetchNextPage()}
        loadingMore={runs.isFetchingNextPage}
      />
    </Section>
  );
}
