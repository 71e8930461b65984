import { useQueryClient } from "@tanstack/react-query";
import { KeySquare, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { remove } from "@/api/client";
import type { Problem } from "@/api/problem";
import { useGet } from "@/api/query";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { IconButton } from "@/ui/IconButton";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useNow } from "@/ui/useNow";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { GrantWhere } from "./GrantWhere";
import { textOfGrant } from "./grants";
import { NewToken } from "./NewToken";
import { hasExpired, type Token } from "./people";
import { userWords } from "./words";

/** The tokens of who is signed in. */
export function OwnTokens({ name }: { name: string }) {
  return <TokenSection answer={useGet("/tokens")} name={name} own />;
}

/** The tokens of a user, for administrators. */
export function TokensOf({ name }: { name: string }) {
  return <TokenSection answer={useGet("/users/{name}/tokens", { path: { name } })} name={name} />;
}

function TokenSection({
  answer,
  name,
  own,
}: {
  answer: ReturnType<typeof useGet<"/tokens">>;
  name: string;
  own?: boolean;
}) {
  const t = useWords(userWords);
  const [making, setMaking] = useState(false);
  const make = (
    <Button size="small" icon={Plus} onClick={() => setMaking(true)}>
      {t("newToken")}
    </Button>
  );
  return (
    <>
      <Section title={t("tokens")} text={t("tokensText")} actions={make} flush>
        <TokenTable
          tokens={answer.data?.tokens}
          own={own}
          problem={answer.error}
          onRetry={() => void answer.refetch()}
        />
      </Section>
      {making && <NewToken name={name} own={own} onClose={() => setMaking(false)} />}
    </>
  );
}

/** Tokens with what they may do and when they were used, each with the way to revoke it. */
export function TokenTable({
  tokens,
  own,
  withUser,
  problem,
  onRetry,
  hasMore,
  onMore,
  loadingMore,
  empty,
}: {
  tokens: readonly Token[] | undefined;
  /** They are those of who is signed in. */
  own?: boolean;
  /** Shows whose they are. */
  withUser?: boolean;
  problem?: Problem | null;
  onRetry?: () => void;
  hasMore?: boolean;
  onMore?: () => void;
  loadingMore?: boolean;
  empty?: ReactNode;
}) {
  const t = useWords(userWords);
  const toast = useToast();
  const queries = useQueryClient();
  const [revoking, setRevoking] = useState<Token | null>(null);
  const named = (one: Token) => one.label || `orth_${one.key}`;
  const columns = useColumns(withUser, setRevoking);
  return (
    <>
      <Table
        label={t("tokens")}
        columns={columns}
        rows={tokens}
        rowKey={(one) => one.id}
        problem={problem}
        onRetry={onRetry}
        hasMore={hasMore}
        onMore={onMore}
        loadingMore={loadingMore}
        empty={
          empty ?? (
            <Empty icon={KeySquare} title={t("noTokens")}>
              {t("noTokensText")}
            </Empty>
          )
        }
      />
      {revoking && (
        <Confirm
          open
          onClose={() => setRevoking(null)}
          title={t("revokeTitle", { token: named(revoking) })}
          text={t("revokeText")}
          action={t("revoke")}
          danger
          onConfirm={async () => {
            if (own) await remove("/tokens/{id}", { path: { id: revoking.id } });
            else await remove("/users/{name}/tokens/{id}", { path: { name: revoking.user, id: revoking.id } });
            await tokensChanged(queries);
            toast.done(t("revoked"));
          }}
        />
      )}
    </>
  );
}

function useColumns(withUser: boolean | undefined, onRevoke: (token: Token) => void): Column<Token>[] {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const now = useNow(30_000);
  const columns: Column<Token>[] = [
    {
      id: "label",
      title: t("token"),
      cell: (one) => (
        <span className="flex flex-col">
          {one.label && <span>{one.label}</span>}
          <span className="font-mono text-soft text-xs">orth_{one.key}…</span>
        </span>
      ),
      fixed: true,
    },
    {
      id: "scope",
      title: t("scope"),
      cell: (one) =>
        one.limits?.length ? (
          <span className="flex flex-col gap-1 py-1">
            {one.limits.map((limit) => (
              <GrantWhere key={textOfGrant(limit)} grant={limit} withRole />
            ))}
          </span>
        ) : (
          <span className="text-soft">{t("scopeAll")}</span>
        ),
    },
    { id: "created", title: shared("created"), cell: (one) => <Time at={one.created_at} /> },
    {
      id: "used",
      title: t("used"),
      cell: (one) => (one.used_at ? <Time at={one.used_at} /> : <span className="text-soft">{t("neverUsed")}</span>),
    },
    {
      id: "expires",
      title: t("expires"),
      cell: (one) =>
        hasExpired(one, now) ? (
          <Badge tone="bad">{t("expired")}</Badge>
        ) : one.expires_at ? (
          <Time at={one.expires_at} />
        ) : (
          <span className="text-soft">{t("never")}</span>
        ),
    },
    {
      id: "revoke",
      title: "",
      align: "right",
      width: "4rem",
      cell: (one) => (
        <IconButton
          icon={Trash2}
          size="small"
          label={t("revokeOne", { token: one.label || `orth_${one.key}` })}
          onClick={() => onRevoke(one)}
        />
      ),
    },
  ];
  if (withUser) {
    columns.splice(1, 0, {
      id: "user",
      title: t("name"),
      cell: (one) => (
        <Link to="/users/$name" params={{ name: one.user }}>
          {one.user}
        </Link>
      ),
    });
  }
  return columns;
}

/** Reloads all tokens. */
export function tokensChanged(queries: ReturnType<typeof useQueryClient>): Promise<unknown> {
  return Promise.all(
    ["/tokens", "/users/{name}/tokens"].map((path) => queries.invalidateQueries({ queryKey: [path] })),
  );
}
