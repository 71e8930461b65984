import { useNavigate, useSearch } from "@tanstack/react-router";
import { ScrollText, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useList } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { MissingRight } from "@/shell/MissingRight";
import { everySpace, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { CodeBlock } from "@/ui/Code";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar, type FilterValues } from "@/ui/FilterBar";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { LineDrawer } from "./LineDrawer";
import type { AuditSearch } from "./route";
import { auditWords } from "./words";

type Line = Schema<"AuditLine">;

const command = "orth audit verify";

/** Who changed what. */
export function AuditPage() {
  const t = useWords(auditWords);
  const { may } = useSession();
  if (!may("admin", everySpace, "*")) return <MissingRight title={t("title")} right="admin" />;
  return <Lines />;
}

function Lines() {
  const t = useWords(auditWords);
  const { line: shown, ...search } = useSearch({ from: "/shell/audit" });
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const [checking, setChecking] = useState(false);
  const list = useList("/audit", "after", {
    query: { ...search, namespace: namespace || undefined, order: search.order ?? "newest", limit: 50 },
  });
  const rows = list.data?.flatMap((page) => page.lines);
  const change = (changed: FilterValues) =>
    void navigate({ to: "/audit", search: (before) => ({ ...before, line: undefined, ...changed }) as AuditSearch });
  const open = rows?.find((one) => one.seq === shown);
  return (
    <>
      <PageHeader
        title={t("title")}
        text={t("text")}
        actions={
          <Button icon={ShieldCheck} onClick={() => setChecking(true)}>
            {t("verify")}
          </Button>
        }
      />
      <FilterBar filters={useFilters()} values={search as FilterValues} onChange={change} />
      <Section flush>
        <Table
          label={t("title")}
          columns={useColumns()}
          rows={rows}
          rowKey={(one) => one.seq}
          problem={list.error}
          onRetry={() => void list.refetch()}
          current={shown}
          onOpen={(one) => change({ line: one.seq })}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
          empty={
            <Empty icon={ScrollText} title={t("empty")} command={command}>
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
      {open && <LineDrawer line={open} onClose={() => change({ line: undefined })} />}
      <Dialog open={checking} onClose={() => setChecking(false)} title={t("verify")} text={t("verifyText")}>
        <CodeBlock>{command}</CodeBlock>
      </Dialog>
    </>
  );
}

function useColumns(): Column<Line>[] {
  const t = useWords(auditWords);
  const shared = useWords(sharedWords);
  return [
    {
      id: "seq",
      title: t("seq"),
      cell: (one) => <span className="font-mono text-xs">{one.seq}</span>,
      fixed: true,
      width: "5rem",
    },
    { id: "at", title: t("at"), cell: (one) => <Time at={one.at} />, width: "9rem" },
    { id: "actor", title: t("actor"), cell: (one) => one.actor },
    {
      id: "operation",
      title: t("operation"),
      cell: (one) => <span className="whitespace-nowrap font-mono text-xs">{one.operation}</span>,
    },
    {
      id: "object",
      title: t("object"),
      cell: (one) => (
        <span title={one.kind}>
          {one.kind && <span className="mr-1.5 text-faint">{one.kind}</span>}
          {one.key}
        </span>
      ),
      className: "max-w-80 truncate",
    },
    {
      id: "place",
      title: shared("namespace"),
      cell: (one) => [one.namespace, one.group].filter(Boolean).join("/"),
      className: "text-soft",
    },
    {
      id: "address",
      title: t("address"),
      cell: (one) => <span className="font-mono text-soft text-xs">{one.address}</span>,
    },
  ];
}

function useFilters(): Filter[] {
  const t = useWords(auditWords);
  return [
    { name: "actor", label: t("actor"), kind: "text", pinned: true },
    { name: "operation", label: t("operation"), kind: "text", pinned: true },
    { name: "key", label: t("key"), kind: "text", pinned: true },
    { name: "kind", label: t("kind"), kind: "text" },
    { name: "from", label: t("from"), kind: "time" },
    { name: "until", label: t("until"), kind: "time" },
    { name: "order", label: t("order"), kind: "one", options: [{ value: "oldest", label: t("oldest") }] },
  ];
}
