import { useNavigate, useSearch } from "@tanstack/react-router";
import { Boxes, Plus } from "lucide-react";
import { useState } from "react";
import { useGet, useList } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { useManySpaces, useNamespace, useSpaceFor } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { count } from "@/ui/format";
import { inSpaces } from "@/ui/inSpaces";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { useNow } from "@/ui/useNow";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { executorCommand } from "./command";
import { GroupDialog } from "./GroupDialog";
import { HealthBadge } from "./HealthBadge";
import { countHealth, dialectsOf, type Executor } from "./health";
import { groupWords } from "./words";

type Group = Schema<"GroupFigures">;

/** The groups of executors of a namespace, or of all, with how their executors are. */
export function GroupsPage() {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { namespace } = useNamespace();
  const space = useSpaceFor("own");
  const { may } = useSession();
  const { text } = useSearch({ strict: false }) as { text?: string };
  const [making, setMaking] = useState(false);
  const list = useList(
    "/groups",
    "after",
    { query: { namespace: namespace || undefined, limit: 200 } },
    { refetchInterval: 10_000 },
  );
  const executors = useGet("/executors", {}, { refetchInterval: 10_000 });
  const columns = inSpaces(useManySpaces(), useColumns(executors.data?.executors ?? []), shared("namespace"));
  const all = list.data?.flatMap((page) => page.groups);
  const sought = text?.toLowerCase() ?? "";
  const rows = all?.filter((one) => `${one.key} ${one.title ?? ""}`.toLowerCase().includes(sought));
  const make = may("own", space) && (
    <Button look="main" icon={Plus} onClick={() => setMaking(true)}>
      {t("newGroup")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} actions={make} />
      <FilterBar
        filters={[]}
        values={{ text }}
        search="text"
        searchLabel={t("search")}
        onChange={(changed) =>
          void navigate({ to: ".", search: (before: object) => ({ ...before, ...changed }), replace: true } as never)
        }
      />
      <Section flush>
        <Table
          label={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.key}
          problem={list.error}
          onRetry={() => void list.refetch()}
          onOpen={(one) => void navigate({ to: "/groups/$ns/$key", params: { ns: one.namespace, key: one.key } })}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          stale={list.isPlaceholderData}
          empty={
            all?.length ? (
              <Empty icon={Boxes} title={t("notFound")} />
            ) : (
              <Empty icon={Boxes} title={t("emptyTitle")} action={make} command={executorCommand("reports")}>
                {t("emptyText")}
              </Empty>
            )
          }
        />
      </Section>
      {making && (
        <GroupDialog
          namespace={space}
          onClose={(made) => {
            setMaking(false);
            if (made) void navigate({ to: "/groups/$ns/$key", params: { ns: made.namespace, key: made.key } });
          }}
        />
      )}
    </>
  );
}

function useColumns(executors: readonly Executor[]): Column<Group>[] {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const now = useNow(5_000);
  const of = (group: Group) => executors.filter((one) => one.group === group.key);
  const figure = (id: "jobs" | "running" | "waiting"): Column<Group> => ({
    id,
    title: t(id),
    align: "right",
    width: "6rem",
    cell: (one) => <span className="tabular-nums">{count(one[id], language)}</span>,
  });
  return [
    {
      id: "group",
      title: t("group"),
      fixed: true,
      cell: (one) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link to="/groups/$ns/$key" params={{ ns: one.namespace, key: one.key }} className="font-medium">
            {one.key}
          </Link>
          {one.own_token_only && <Badge>{t("ownToken")}</Badge>}
        </span>
      ),
    },
    { id: "title", title: shared("title"), cell: (one) => one.title ?? "", className: "max-w-56 truncate" },
    {
      id: "alive",
      title: t("alive"),
      align: "right",
      width: "6rem",
      cell: (one) => (
        <span className="whitespace-nowrap tabular-nums">
          {t("aliveOf", { alive: count(one.alive, language), all: count(one.executors, language) })}
        </span>
      ),
    },
    {
      id: "health",
      title: t("health"),
      cell: (one) => (
        <span className="flex flex-wrap gap-1">
          {countHealth(of(one), now).map(([health, n]) => (
            <HealthBadge key={health} health={health} count={n} />
          ))}
        </span>
      ),
    },
    { id: "dialect", title: t("dialect"), cell: (one) => dialectsOf(of(one)).join(", ") },
    { id: "addresses", title: t("addresses"), cell: (one) => <Source executors={of(one)} /> },
    figure("jobs"),
    figure("running"),
    figure("waiting"),
  ];
}

function Source({ executors }: { executors: readonly Executor[] }) {
  const t = useWords(groupWords);
  const hand = executors.some((one) => one.manual);
  const beat = executors.some((one) => !one.manual);
  return <span className="text-soft">{hand && beat ? t("both") : hand ? t("byHand") : beat ? t("byBeat") : ""}</span>;
}
