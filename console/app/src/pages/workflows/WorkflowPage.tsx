import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { remove } from "@/api/client";
import { useGet, useList } from "@/api/query";
import type { Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { numberClass } from "@/pages/runs/columns";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { CodeEditor } from "@/ui/CodeEditor";
import { Confirm } from "@/ui/Confirm";
import { Elapsed } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Skeleton } from "@/ui/Skeleton";
import { type Column, Table } from "@/ui/Table";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Graph } from "./Graph";
import { textOf } from "./graph";
import { NodeState } from "./NodeState";
import { NodeTable } from "./NodeTable";
import { StartDialog } from "./StartDialog";
import { workflowWords } from "./words";

/** One workflow: its picture, its runs, its text. */
export function WorkflowPage() {
  const { key } = useParams({ from: "/shell/workflows/$key" });
  const { view = "graph" } = useSearch({ from: "/shell/workflows/$key" });
  const t = useWords(workflowWords);
  const navigate = useNavigate();
  const { of } = useNamespace();
  const [selected, setSelected] = useState<string>();
  const { data: workflow, error, refetch } = useGet("/workflows/{key}", { path: { key }, query: { namespace: of } });
  const crumbs = [
    <Link key="all" to="/workflows">
      {t("title")}
    </Link>,
  ];
  if (!workflow) {
    return (
      <>
        <PageHeader title={key} crumbs={crumbs} />
        {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <Skeleton className="h-96" />}
      </>
    );
  }
  const nodes = workflow.nodes ?? [];
  return (
    <>
      <PageHeader
        title={workflow.title || key}
        documentTitle={key}
        crumbs={[...crumbs, <span key="key">{key}</span>]}
        badges={
          <Badge>
            {t("version")} {workflow.version}
          </Badge>
        }
        actions={<Actions workflow={workflow} />}
      />
      <Tabs
        label={t("workflow")}
        value={view}
        onChange={(next) =>
          void navigate({
            to: ".",
            search: (before: object) => ({ ...before, view: next === "graph" ? undefined : next }),
          } as never)
        }
        tabs={[
          {
            value: "graph",
            label: t("graph"),
            content: (
              <div className="flex flex-col gap-4">
                <div className="h-96 overflow-hidden rounded-lg border">
                  <Graph label={t("graph")} nodes={nodes} selected={selected} onSelect={setSelected} />
                </div>
                <Section title={t("nodes")} flush>
                  <NodeTable nodes={nodes} selected={selected} onSelect={setSelected} />
                </Section>
              </div>
            ),
          },
          { value: "runs", label: t("runs"), content: <Runs workflow={key} namespace={of} /> },
          {
            value: "text",
            label: t("asText"),
            content: (
              <CodeEditor
                readOnly
                label={t("asText")}
                language="json"
                value={textOf({ title: workflow.title ?? "", nodes })}
                className="min-h-72"
              />
            ),
          },
        ]}
      />
    </>
  );
}

function Actions({ workflow }: { workflow: Schema<"Workflow"> }) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { may, whyNot } = useSession();
  const [asked, setAsked] = useState<"start" | "delete" | null>(null);
  const { key, namespace } = workflow;
  return (
    <>
      <Button icon={Trash2} look="dangerPlain" reason={whyNot("edit", namespace)} onClick={() => setAsked("delete")}>
        {shared("delete")}
      </Button>
      {may("edit", namespace) && (
        <ButtonLink to="/workflows/$key/edit" params={{ key }} icon={Pencil}>
          {shared("edit")}
        </ButtonLink>
      )}
      <Button icon={Play} look="main" reason={whyNot("operate", namespace)} onClick={() => setAsked("start")}>
        {t("start")}
      </Button>
      <StartDialog workflow={key} namespace={namespace} open={asked === "start"} onClose={() => setAsked(null)} />
      <Confirm
        open={asked === "delete"}
        onClose={() => setAsked(null)}
        title={t("deleteOne")}
        text={t("deleteText")}
        action={t("deleteOne")}
        danger
        typed={key}
        onConfirm={async () => {
          await remove("/workflows/{key}", { path: { key }, query: { namespace } });
          void queries.invalidateQueries({ queryKey: ["/workflows"] });
          void navigate({ to: "/workflows" });
        }}
      />
    </>
  );
}

function Runs({ workflow, namespace }: { workflow: string; namespace: string }) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const list = useList(
    "/workflow-runs",
    "before",
    { query: { workflow, namespace, limit: 50 } },
    { refetchInterval: 5_000 },
  );
  const columns: Column<Schema<"WorkflowRun">>[] = [
    {
      id: "id",
      title: shared("run"),
      cell: (one) => (
        <Link to="/workflow-runs/$id" params={{ id: one.id }} className={numberClass}>
          {one.id}
        </Link>
      ),
      fixed: true,
      width: "6rem",
    },
    { id: "state", title: shared("state"), cell: (one) => <NodeState state={one.state} />, width: "8rem" },
    {
      id: "progress",
      title: t("progress"),
      cell: (one) => `${one.done} / ${one.total}`,
      align: "right",
    },
    { id: "failed", title: t("failed"), cell: (one) => one.failed, align: "right" },
    { id: "version", title: t("version"), cell: (one) => one.version, align: "right" },
    { id: "created", title: shared("created"), cell: (one) => <Time at={one.created_at} /> },
    {
      id: "took",
      title: shared("took"),
      cell: (one) => <Elapsed from={one.created_at} to={one.ended_at} />,
      align: "right",
    },
    {
      id: "reason",
      title: shared("reason"),
      cell: (one) => <span className="text-soft">{reasonText(one.reason)}</span>,
      className: "w-full max-w-0 min-w-48 truncate",
    },
  ];
  return (
    <Section flush>
      <Table
        label={t("runs")}
        columns={columns}
        rows={list.data?.flatMap((page) => page.runs)}
        rowKey={(one) => one.id}
        problem={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(one) => void navigate({ to: "/workflow-runs/$id", params: { id: one.id } })}
        hasMore={list.hasNextPage}
        onMore={() => void list.fetchNextPage()}
        loadingMore={list.isFetchingNextPage}
        empty={<p className="px-4 py-6 text-soft">{t("noRuns")}</p>}
      />
    </Section>
  );
}
