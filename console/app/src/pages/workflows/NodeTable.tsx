import type { Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { RunLink } from "@/pages/runs/columns";
import { Elapsed } from "@/ui/Duration";
import { Link } from "@/ui/Link";
import { type Column, Table } from "@/ui/Table";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { DrawnNode } from "./GraphInner";
import { conditionOf } from "./graph";
import { NodeState } from "./NodeState";
import { workflowWords } from "./words";

type Row = DrawnNode & Partial<Pick<Schema<"NodeRun">, "run_id" | "reason" | "result">>;

/** The nodes of a workflow as a table: the same as the picture, for reading and for keyboards. */
export function NodeTable({
  nodes,
  selected,
  onSelect,
}: {
  nodes: readonly Row[];
  selected?: string;
  onSelect: (name: string) => void;
}) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const ran = nodes.some((node) => node.state);
  const all: (Column<Row> & { ran?: boolean })[] = [
    {
      id: "name",
      title: t("node"),
      cell: (node) => <span className="whitespace-nowrap font-medium">{node.name}</span>,
      fixed: true,
    },
    { id: "state", title: shared("state"), cell: (node) => node.state && <NodeState state={node.state} />, ran: true },
    {
      id: "job",
      title: shared("job"),
      cell: (node) => (
        <Link to="/jobs/$id" params={{ id: node.job }} className="whitespace-nowrap text-ink" search={true as never}>
          {node.job}
        </Link>
      ),
    },
    {
      id: "after",
      title: t("after"),
      cell: (node) => (
        <span className="text-soft">
          {(node.after ?? []).map((edge) => `${edge.node} (${t(conditionOf(edge))})`).join(", ") || "–"}
          {node.join &&
            node.join !== "all" &&
            ` · ${node.join === "any" ? t("joinAny") : t("joinN", { n: node.join })}`}
        </span>
      ),
      className: "min-w-44",
    },
    { id: "run", title: shared("run"), cell: (node) => node.run_id && <RunLink id={node.run_id} />, ran: true },
    {
      id: "took",
      title: shared("took"),
      cell: (node) => <Elapsed from={node.started_at} to={node.ended_at} />,
      align: "right",
      ran: true,
    },
    {
      id: "result",
      title: t("result"),
      cell: (node) => (
        <span className="text-soft" title={reasonText(node.reason) || node.result}>
          {reasonText(node.reason) || node.result}
        </span>
      ),
      className: "w-full max-w-0 min-w-40 truncate",
      ran: true,
    },
    {
      id: "param",
      title: t("param"),
      cell: (node) => node.param !== undefined && <code className="text-xs">{node.param || '""'}</code>,
    },
  ];
  return (
    <Table
      label={t("nodes")}
      columns={all.filter((column) => ran || !column.ran)}
      rows={nodes}
      rowKey={(node) => node.name}
      current={selected}
      onOpen={(node) => onSelect(node.name)}
      empty={<p className="px-4 py-6 text-soft">{t("p_none")}</p>}
    />
  );
}
