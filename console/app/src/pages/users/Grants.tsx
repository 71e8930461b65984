import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useGet, useList } from "@/api/query";
import { useSession } from "@/session/session";
import { Empty } from "@/ui/Empty";
import { type Filter, FilterBar } from "@/ui/FilterBar";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { allUsers, allUsersKey } from "./allUsers";
import { GiveGrant, GrantTable } from "./GrantTable";
import { all } from "./grants";
import type { UserSearch } from "./route";
import { userWords } from "./words";

/** Who was granted what, where the caller is an owner. */
export function Grants() {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const search = useSearch({ from: "/shell/users" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { may } = useSession();
  const admin = may("admin", all, all);
  const list = useList("/grants", "after", { query: { user: search.user, namespace: search.in, limit: 100 } });
  const namespaces = useGet("/namespaces");
  const users = useQuery({
    queryKey: allUsersKey,
    queryFn: ({ signal }) => allUsers(signal),
    enabled: admin,
  });
  const held = list.data?.flatMap((page) => page.grants);
  const names = users.data?.map((one) => one.name) ?? [...new Set(held?.map((one) => one.user))];
  const filters: Filter[] = [
    {
      name: "user",
      label: t("name"),
      kind: "one",
      pinned: true,
      options: names.map((value) => ({ value, label: value })),
    },
    {
      name: "in",
      label: shared("namespace"),
      kind: "one",
      pinned: true,
      options: [
        { value: all, label: t("allNamespaces") },
        ...(namespaces.data?.namespaces.map(({ name }) => ({ value: name, label: name })) ?? []),
      ],
    },
  ];
  const changed = () => grantsChanged(queries);
  return (
    <>
      <FilterBar
        filters={filters}
        values={search}
        onChange={(next) =>
          void navigate({ to: "/users", search: (before) => ({ ...before, ...next }) as UserSearch, replace: true })
        }
      >
        <GiveGrant users={names} onChanged={changed} />
      </FilterBar>
      <Section flush>
        <GrantTable
          grants={held}
          withUser
          problem={list.error}
          onRetry={() => void list.refetch()}
          onChanged={changed}
          hasMore={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          loadingMore={list.isFetchingNextPage}
          empty={search.user || search.in ? <Empty icon={SearchX} title={t("nobody")} /> : undefined}
        />
      </Section>
    </>
  );
}

/** Reloads users and their grants. */
export function grantsChanged(queries: ReturnType<typeof useQueryClient>): Promise<unknown> {
  return Promise.all(
    ["/grants", "/users", "/users/{name}", "/users/{name}/sessions"].map((path) =>
      queries.invalidateQueries({ queryKey: [path] }),
    ),
  );
}
