import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus, SearchX } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { everySpace, inSpace, useManySpaces, useNamespace } from "@/shell/namespace";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { FilterBar, type FilterValues } from "@/ui/FilterBar";
import { inSpaces } from "@/ui/inSpaces";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NamespaceField } from "../alarms/NamespaceField";
import { useCreation } from "../alarms/useCreation";
import { CreateSecret } from "./CreateSecret";
import { narrowed, type Secret } from "./secret";
import { secretWords } from "./words";

/** The groups whose jobs may use a secret. */
export function SecretGroups({ groups }: { groups?: readonly string[] }) {
  const t = useWords(secretWords);
  if (!groups?.length) return <span className="text-soft">{t("wholeNamespace")}</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {groups.map((group) => (
        <Badge key={group}>{group}</Badge>
      ))}
    </span>
  );
}

/** The named secrets of a namespace, or of all. Values are nowhere to be seen. */
export function SecretsPage() {
  const t = useWords(secretWords);
  const { namespace: shown } = useNamespace();
  const search = useSearch({ from: "/shell/secrets" });
  const navigate = useNavigate();
  const place = useCreation("own", shown);
  const shared = useWords(sharedWords);
  const [making, setMaking] = useState(false);
  const answer = useGet("/secrets", { query: { namespace: shown || everySpace } });
  const all = answer.data?.secrets;
  const many = useManySpaces(all);
  const make = place.space && (
    <Button look="main" icon={Plus} onClick={() => setMaking(true)}>
      {t("create")}
    </Button>
  );
  const change = (changed: FilterValues) =>
    void navigate({
      to: "/secrets",
      search: (before) => ({ ...before, ...(changed as typeof search) }),
      replace: true,
    });
  return (
    <>
      <PageHeader title={t("title")} text={shown ? t("text", { namespace: shown }) : t("textAll")} actions={make} />
      <FilterBar
        filters={[{ name: "group", label: t("onlyGroup"), kind: "one", options: groupFinder(shown) }]}
        values={search}
        search="text"
        searchLabel={t("search")}
        onChange={change}
      />
      <Section flush>
        <Table
          label={t("title")}
          columns={inSpaces(many, useColumns(shown), shared("namespace"))}
          rows={all && narrowed(all, search.text, search.group)}
          rowKey={(one) => `${one.namespace}/${one.key}`}
          problem={answer.error}
          onRetry={() => void answer.refetch()}
          onOpen={(one) =>
            void navigate({ to: "/secrets/$key", params: { key: one.key }, search: inSpace(shown, one.namespace) })
          }
          empty={
            all?.length ? (
              <Empty icon={SearchX} title={t("nothing")} />
            ) : (
              <Empty icon={KeyRound} title={t("empty")} command="orth secret set billing-api" action={make}>
                {t("emptyText")}
              </Empty>
            )
          }
        />
      </Section>
      {making && place.space && (
        <CreateSecret
          namespace={place.space}
          place={shown ? undefined : <NamespaceField namespace={place.space} making={place} />}
          onClose={() => {
            place.forget();
            setMaking(false);
          }}
        />
      )}
    </>
  );
}

function useColumns(shown: string): Column<Secret>[] {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  return [
    {
      id: "key",
      title: shared("key"),
      cell: (one) => (
        <Link
          to="/secrets/$key"
          params={{ key: one.key }}
          search={inSpace(shown, one.namespace)}
          className="font-mono text-xs"
        >
          {one.key}
        </Link>
      ),
      fixed: true,
    },
    { id: "title", title: t("description"), cell: (one) => one.title, className: "max-w-80 truncate" },
    { id: "groups", title: t("groups"), cell: (one) => <SecretGroups groups={one.groups} /> },
    { id: "replaced", title: t("replaced"), cell: (one) => <Time at={one.replaced_at} /> },
    {
      id: "used",
      title: t("used"),
      cell: (one) => (one.used_at ? <Time at={one.used_at} /> : <span className="text-soft">{t("usedNever")}</span>),
    },
    { id: "by", title: shared("updated"), cell: (one) => <span className="text-soft">{one.updated_by}</span> },
  ];
}
