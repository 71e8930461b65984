import { Archive } from "lucide-react";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { count } from "@/ui/format";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { useLanguage, useWords } from "@/words";
import { namespaceWords } from "./words";

type Namespace = Schema<"Namespace">;

/** The namespaces with what is in them; one of them may be looked at alone. */
export function NamespacesPage() {
  const t = useWords(namespaceWords);
  const [language] = useLanguage();
  const { namespace, setNamespace } = useNamespace();
  const answer = useGet("/namespaces");
  const figure = (id: "jobs" | "groups" | "workflows" | "calendars"): Column<Namespace> => ({
    id,
    title: t(id),
    cell: (one) => <span className="tabular-nums">{count(one[id], language)}</span>,
    align: "right",
    width: "8rem",
  });
  const columns: Column<Namespace>[] = [
    {
      id: "name",
      title: t("name"),
      cell: (one) => (
        <span className="flex items-center gap-2">
          <span className="font-mono text-xs">{one.name}</span>
          {one.name === namespace && <Badge tone="busy">{t("chosen")}</Badge>}
        </span>
      ),
      fixed: true,
    },
    figure("jobs"),
    figure("workflows"),
    figure("groups"),
    figure("calendars"),
    {
      id: "look",
      title: "",
      cell: (one) => (
        <Button size="small" look="quiet" onClick={() => setNamespace(one.name === namespace ? "" : one.name)}>
          {t(one.name === namespace ? "all" : "look")}
        </Button>
      ),
      align: "right",
      width: "12rem",
    },
  ];
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={answer.data?.namespaces}
          rowKey={(one) => one.name}
          problem={answer.error}
          onRetry={() => void answer.refetch()}
          empty={
            <Empty icon={Archive} title={t("empty")}>
              {t("emptyText")}
            </Empty>
          }
        />
      </Section>
    </>
  );
}
