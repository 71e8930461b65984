import { useQueries } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Link2, TriangleAlert } from "lucide-react";
import { type Answer, read } from "@/api/client";
import type { Problem } from "@/api/problem";
import { keyOf, useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Tile, Tiles } from "@/pages/dashboard/Tile";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { count, duration, percent } from "@/ui/format";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Tabs } from "@/ui/Tabs";
import { useLanguage, useWords } from "@/words";
import { DeadLetters } from "./DeadLetters";
import { About, Nodes, Profit } from "./Details";
import { ExecutorTable } from "./ExecutorTable";
import { type Facts, readFacts, sol, success } from "./facts";
import { Threads } from "./Threads";
import { solanaWords } from "./words";

/** An executor with its reported facts: null if unreadable, undefined while loading. */
export type Told = { executor: Schema<"Executor">; at?: string; facts: Facts | null | undefined; problem?: Problem };

/** Refetched without an event: not every user receives the stream. */
const again = 10_000;

function useTold() {
  const list = useGet("/executors", { query: { kind: "solana" } }, { refetchInterval: again });
  const executors = (list.data?.executors ?? []).slice(0, 50);
  const answers = useQueries({
    queries: executors.map((one) => {
      const options = { path: { group: one.group }, query: { address: one.address } };
      return {
        queryKey: keyOf("/groups/{group}/addresses/facts", options),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          read("/groups/{group}/addresses/facts", { ...options, signal }) as Promise<
            Answer<"/groups/{group}/addresses/facts", "get">
          >,
        refetchInterval: again,
      };
    }),
  });
  const told = executors.map((executor, index): Told => {
    const answer = answers[index];
    return {
      executor,
      at: answer?.data?.at,
      facts: answer?.data ? readFacts(answer.data.facts) : undefined,
      problem: answer?.data ? undefined : ((answer?.error as Problem | null) ?? undefined),
    };
  });
  return { list, told };
}

/** Executors of Solana threads, side by side, and one of them in full. */
export function SolanaPage() {
  const t = useWords(solanaWords);
  const search = useSearch({ from: "/shell/solana" });
  const navigate = useNavigate();
  const { list, told } = useTold();
  const chosen = told.find((one) => one.executor.address === search.at) ?? told[0];
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      {list.error && !list.data && <ErrorState problem={list.error} onRetry={() => void list.refetch()} />}
      {list.data && told.length === 0 && (
        <Section>
          <Empty icon={Link2} title={t("none")} command="orth-solana run --config orth-solana.yaml">
            {t("noneText")}
          </Empty>
        </Section>
      )}
      {(list.isPending || told.length > 0) && (
        <div className="flex flex-col gap-4">
          {told.length > 1 && (
            <ExecutorTable
              told={told}
              current={chosen?.executor.address}
              onChoose={(at) => void navigate({ to: "/solana", search: (before) => ({ ...before, at }) })}
            />
          )}
          {chosen?.facts === null ? (
            <Section>
              <Empty icon={TriangleAlert} title={t("notRead")}>
                {t("notReadText")}
              </Empty>
            </Section>
          ) : chosen?.problem ? (
            <ErrorState problem={chosen.problem} onRetry={() => void list.refetch()} />
          ) : (
            <One executor={chosen?.executor} facts={chosen?.facts} />
          )}
        </div>
      )}
    </>
  );
}

/** One executor in full; without facts a skeleton of it. */
function One({ executor, facts }: { executor?: Schema<"Executor">; facts?: Facts }) {
  const t = useWords(solanaWords);
  const search = useSearch({ from: "/shell/solana" });
  const navigate = useNavigate();
  const tab = (["threads", "dead", "profit", "nodes", "about"] as const).find((one) => one === search.tab) ?? "threads";
  return (
    <>
      {facts?.trouble && (
        <div role="alert" className="flex items-start gap-3 rounded-lg border border-bad bg-raised px-4 py-3 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
          <div className="min-w-0">
            <p className="font-medium">{t("trouble")}</p>
            <p className="text-soft">
              {t("troubleText", { reason: facts.trouble.reason, sol: sol(facts.trouble.needed) })}
            </p>
          </div>
        </div>
      )}
      <Summary facts={facts} />
      <Tabs
        label={t("views")}
        value={tab}
        onChange={(next) =>
          void navigate({
            to: "/solana",
            search: (before) => ({ at: before.at, tab: next === "threads" ? undefined : next }),
          })
        }
        tabs={[
          { value: "threads", label: t("threads"), count: facts?.threads_total, content: <Threads facts={facts} /> },
          {
            value: "dead",
            label: t("dead"),
            count: facts?.queue.dead,
            content: <DeadLetters executor={executor} facts={facts} />,
          },
          { value: "profit", label: t("profit"), content: <Profit facts={facts} /> },
          { value: "nodes", label: t("nodes"), count: facts?.nodes.length, content: <Nodes facts={facts} /> },
          { value: "about", label: t("about"), content: <About facts={facts} executor={executor} /> },
        ]}
      />
    </>
  );
}

function Summary({ facts }: { facts?: Facts }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const n = (value: number) => count(value, language);
  const rate = facts && success(facts.totals);
  const brought = facts && facts.profit.earned - facts.profit.spent;
  return (
    <Tiles label={t("figures")}>
      <Tile
        label={t("balance")}
        value={facts && <Amount lamports={facts.balance} />}
        tone={facts && facts.balance < facts.floor * 2 ? "warn" : "plain"}
        help={facts && t("floor", { sol: sol(facts.floor) })}
      />
      <Tile
        label={t("net")}
        value={brought === undefined ? undefined : <Amount lamports={brought} signed />}
        tone={brought !== undefined && brought < 0 ? "warn" : "plain"}
        help={facts && t("ever", { n: n(facts.profit.executions) })}
      />
      <Tile
        label={t("rate")}
        value={facts && (rate === undefined ? "–" : percent(rate, language))}
        tone={rate !== undefined && rate < 0.9 ? "bad" : "plain"}
        help={facts && t("retried", { n: n(facts.totals.retries) })}
      />
      <Tile
        label={t("dead")}
        value={facts && n(facts.queue.dead)}
        tone={facts?.queue.dead ? "bad" : "plain"}
        help={facts?.queue.dead ? t("open") : ""}
      />
      <Tile
        label={t("queue")}
        value={facts && n(facts.queue.scheduled + facts.queue.processing)}
        help={facts && t("inFlight", { n: n(facts.queue.in_flight) })}
      />
      <Tile
        label={t("wire")}
        value={facts && (facts.to_wire.count ? millis(facts.to_wire.p50) : "–")}
        help={facts?.to_wire.count ? t("p99", { ms: millis(facts.to_wire.p99) }) : ""}
      />
      <Tile
        label={t("slot")}
        value={facts && (facts.clock.slot ? n(facts.clock.slot) : "–")}
        tone={facts && facts.clock.lag > 10_000 ? "warn" : "plain"}
        help={facts && (facts.clock.unix ? t("lag", { time: duration(Math.max(facts.clock.lag, 0)) }) : t("noClock"))}
      />
    </Tiles>
  );
}

/** Few milliseconds with a digit behind the point, many as people read them. */
export function millis(ms: number): string {
  return ms > 0 && ms < 10 ? `${ms.toFixed(1)} ms` : duration(ms);
}

/** A large amount: what is behind the third digit stands smaller. */
function Amount({ lamports, signed }: { lamports: number; signed?: boolean }) {
  const text = sol(lamports, signed);
  return (
    <span className="whitespace-nowrap tabular-nums">
      {text.slice(0, -6)}
      <span className="font-normal text-sm text-soft">{text.slice(-6)}</span>
    </span>
  );
}
