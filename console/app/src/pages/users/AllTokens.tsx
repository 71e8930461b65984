import { useInfiniteQuery } from "@tanstack/react-query";
import { get } from "@/api/client";
import { toProblem } from "@/api/problem";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import type { Token } from "./people";
import { TokenTable } from "./Tokens";
import { userWords } from "./words";

/** Users whose tokens are requested at once: the API lists tokens per user. */
const usersAtOnce = 25;

type Page = { tokens: Token[]; next?: string };

async function tokensOfSome(after: string | undefined, signal: AbortSignal): Promise<Page> {
  const { users, next } = await get("/users", { query: { after, limit: usersAtOnce }, signal });
  const tokens = await Promise.all(
    users.map(async ({ name }) => (await get("/users/{name}/tokens", { path: { name }, signal })).tokens),
  );
  return { tokens: tokens.flat(), next };
}

/** The tokens of all users, some users at a time. */
export function AllTokens() {
  const t = useWords(userWords);
  const list = useInfiniteQuery({
    queryKey: ["/users/{name}/tokens", "all"],
    queryFn: ({ pageParam, signal }) => tokensOfSome(pageParam || undefined, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
  });
  return (
    <Section title={t("tokens")} text={t("allTokensText")} flush>
      <TokenTable
        tokens={list.data?.pages.flatMap((page) => page.tokens)}
        withUser
        problem={list.error && toProblem(list.error)}
        onRetry={() => void list.refetch()}
        hasMore={list.hasNextPage}
        onMore={() => void list.fetchNextPage()}
        loadingMore={list.isFetchingNextPage}
      />
    </Section>
  );
}
