import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus, Users, UserX } from "lucide-react";
import { useState } from "react";
import { toProblem } from "@/api/problem";
import { useSession } from "@/session/session";
import { Badge, type Tone } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar } from "@/ui/FilterBar";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { roleWords } from "@/words/shared";
import { allUsers, allUsersKey } from "./allUsers";
import { RoleBadge, roleWord } from "./GrantWhere";
import { roles } from "./grants";
import { narrowedUsers, stateOf, type User } from "./people";
import type { UserSearch } from "./route";
import { userWords } from "./words";

const tones: Record<ReturnType<typeof stateOf>, Tone> = { enabled: "good", disabled: "bad", locked: "warn" };

/** How a user stands. */
export function UserState({ user }: { user: User }) {
  const t = useWords(userWords);
  const state = stateOf(user);
  return <Badge tone={tones[state]}>{t(state)}</Badge>;
}

const atOnce = 100;

/** All users, narrowed in the browser: the server has at most 10,000. */
export function UserList({ onCreate }: { onCreate: () => void }) {
  const t = useWords(userWords);
  const search = useSearch({ from: "/shell/users" });
  const navigate = useNavigate();
  const [shown, setShown] = useState(atOnce);
  const answer = useQuery({ queryKey: allUsersKey, queryFn: ({ signal }) => allUsers(signal) });
  const rows = answer.data && narrowedUsers(answer.data, search);
  return (
    <>
      <FilterBar
        filters={useFilters()}
        values={search}
        search="text"
        searchLabel={t("find")}
        onChange={(changed) => {
          setShown(atOnce);
          void navigate({ to: "/users", search: (before) => ({ ...before, ...changed }) as UserSearch, replace: true });
        }}
      />
      <Section flush>
        <Table
          label={t("users")}
          columns={useColumns()}
          rows={rows?.slice(0, shown)}
          rowKey={(one) => one.name}
          problem={answer.error && toProblem(answer.error)}
          onRetry={() => void answer.refetch()}
          onOpen={(one) => void navigate({ to: "/users/$name", params: { name: one.name } })}
          hasMore={Boolean(rows && rows.length > shown)}
          onMore={() => setShown(shown + atOnce)}
          empty={
            answer.data?.length ? (
              <Empty icon={UserX} title={t("nobody")} />
            ) : (
              <Empty
                icon={Users}
                title={t("empty")}
                command="orth user create ada --grant viewer@default"
                action={
                  <Button look="main" icon={UserPlus} onClick={onCreate}>
                    {t("create")}
                  </Button>
                }
              >
                {t("emptyText")}
              </Empty>
            )
          }
        />
      </Section>
    </>
  );
}

function useFilters(): Filter[] {
  const t = useWords(userWords);
  const role = useWords(roleWords);
  return [
    {
      name: "kind",
      label: t("kind"),
      kind: "one",
      pinned: true,
      options: (["user", "service"] as const).map((value) => ({ value, label: t(value) })),
    },
    {
      name: "state",
      label: t("state"),
      kind: "one",
      pinned: true,
      options: (["enabled", "disabled", "locked"] as const).map((value) => ({ value, label: t(value) })),
    },
    {
      name: "role",
      label: t("role"),
      kind: "one",
      options: roles.map((value) => ({ value, label: role(roleWord(value)) })),
    },
  ];
}

function useColumns(): Column<User>[] {
  const t = useWords(userWords);
  const { me } = useSession();
  return [
    {
      id: "name",
      title: t("name"),
      cell: (one) => (
        <span className="flex items-center gap-2">
          <Link to="/users/$name" params={{ name: one.name }} className="font-medium">
            {one.name}
          </Link>
          {one.name === me.name && <Badge>{t("you")}</Badge>}
        </span>
      ),
      fixed: true,
    },
    {
      id: "title",
      title: t("fullName"),
      cell: (one) => (
        <span className="flex flex-col">
          {one.title && <span>{one.title}</span>}
          {one.email && <span className="text-soft text-xs">{one.email}</span>}
        </span>
      ),
      className: "max-w-64 break-words",
    },
    {
      id: "kind",
      title: t("kind"),
      cell: (one) => (
        <span className="flex flex-wrap gap-1">
          <Badge tone={one.kind === "service" ? "busy" : "plain"}>{t(one.kind)}</Badge>
          {one.external && <Badge title={t("externalHelp")}>{t("external")}</Badge>}
        </span>
      ),
    },
    { id: "roles", title: t("roles"), cell: (one) => <Roles user={one} /> },
    { id: "state", title: t("state"), cell: (one) => <UserState user={one} /> },
    {
      id: "seen",
      title: t("seen"),
      cell: (one) => (one.seen_at ? <Time at={one.seen_at} /> : <span className="text-soft">{t("neverSeen")}</span>),
      align: "right",
    },
  ];
}

/** The roles of a user, each once, wherever they count. */
function Roles({ user }: { user: User }) {
  const grants = [...user.grants, ...(user.provided ?? [])];
  const held = roles.filter((role) => grants.some((grant) => grant.role === role));
  if (held.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {held.map((role) => (
        <RoleBadge key={role} role={role} />
      ))}
    </span>
  );
}
