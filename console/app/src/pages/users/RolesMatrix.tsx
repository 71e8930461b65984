import { Check } from "lucide-react";
import { useGet } from "@/api/query";
import { type Right, rightsOf } from "@/session/rights";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { useWords } from "@/words";
import { roleWords } from "@/words/shared";
import { RoleBadge } from "./GrantWhere";
import { type RoleName, rights, roles } from "./grants";
import { userWords } from "./words";

type Row = { role: RoleName; rights: readonly string[] };

/** What each role may do: in words, and as a matrix of rights. */
export function RolesMatrix() {
  const t = useWords(userWords);
  const word = useWords(roleWords);
  const answer = useGet("/roles", {}, { staleTime: Number.POSITIVE_INFINITY });
  const told = new Map(answer.data?.roles.map((one) => [one.role, one.rights]));
  const rows: Row[] | undefined =
    answer.data && roles.map((role) => ({ role, rights: told.get(role) ?? rightsOf[role] }));
  const cell = (right: Right): Column<Row> => ({
    id: right,
    title: word(right),
    cell: (one) =>
      one.rights.includes(right) ? (
        <span className="inline-flex text-good">
          <Check aria-hidden className="size-4" />
          <span className="sr-only">{t("has")}</span>
        </span>
      ) : (
        <span className="text-faint">
          <span aria-hidden>·</span>
          <span className="sr-only">{t("hasNot")}</span>
        </span>
      ),
    width: "6.5rem",
  });
  const columns: Column<Row>[] = [
    { id: "role", title: t("role"), cell: (one) => <RoleBadge role={one.role} />, fixed: true, width: "9rem" },
    {
      id: "means",
      title: "",
      cell: (one) => <span className="block min-w-56 py-1 text-pretty text-soft">{t(one.role)}</span>,
    },
    ...rights.map(cell),
  ];
  return (
    <Section title={t("roles")} text={t("rolesText")} flush>
      <Table
        label={t("roles")}
        columns={columns}
        rows={rows}
        rowKey={(one) => one.role}
        problem={answer.error}
        onRetry={() => void answer.refetch()}
        empty={null}
      />
    </Section>
  );
}
