import { useNavigate } from "@tanstack/react-router";
import { Network, Plus } from "lucide-react";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { everySpace, inSpace, useManySpaces, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { inSpaces } from "@/ui/inSpaces";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NodeState } from "./NodeState";
import { workflowWords } from "./words";

type Workflow = Schema<"Workflow">;

/** All workflows of a namespace, or of all, each with its newest run. */
export function WorkflowsPage() {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const { whyNot } = useSession();
  const { data, error, refetch } = useGet("/workflows", { query: { namespace: shown || everySpace } });
  const runs = useGet("/workflow-runs", { query: { limit: 200 } }, { refetchInterval: 10_000 }).data?.runs ?? [];
  const last = ({ namespace, key }: Workflow) =>
    runs.find((run) => run.workflow === key && run.namespace === namespace);
  const at = ({ namespace, key }: Workflow) => ({ params: { key }, search: inSpace(shown, namespace) });
  const own: Column<Workflow>[] = [
    {
      id: "key",
      title: shared("key"),
      cell: (one) => (
        <Link to="/workflows/$key" {...at(one)}>
          {one.key}
        </Link>
      ),
      fixed: true,
    },
    { id: "title", title: shared("title"), cell: (one) => one.title, className: "max-w-96 truncate" },
    { id: "nodes", title: t("nodes"), cell: (one) => one.total, align: "right" },
    { id: "version", title: t("version"), cell: (one) => one.version, align: "right" },
    {
      id: "last",
      title: t("runs"),
      cell: (one) => {
        const run = last(one);
        if (!run) return <span className="text-faint">–</span>;
        return (
          <span className="flex items-center gap-2">
            <NodeState state={run.state} />
            <Link to="/workflow-runs/$id" params={{ id: run.id }} className="text-xs">
              <Time at={run.created_at} />
            </Link>
          </span>
        );
      },
    },
    { id: "updated", title: shared("updated"), cell: (one) => <Time at={one.updated_at} /> },
  ];
  const columns = inSpaces(useManySpaces(data?.workflows), own, shared("namespace"));
  const create = (
    <Button
      look="main"
      icon={Plus}
      reason={whyNot("edit", shown || undefined)}
      onClick={() => void navigate({ to: "/workflows/new" })}
    >
      {t("newOne")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} actions={create} />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={data?.workflows}
          rowKey={(one) => `${one.namespace}/${one.key}`}
          problem={error}
          onRetry={() => void refetch()}
          onOpen={(one) => void navigate({ to: "/workflows/$key", ...at(one) })}
          empty={
            <Empty
              icon={Network}
              title={t("empty")}
              action={create}
              command="orth workflow save KEY --file workflow.yaml"
            >
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
    </>
  );
}
