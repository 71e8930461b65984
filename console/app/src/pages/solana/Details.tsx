import { Server } from "lucide-react";
import type { Schema } from "@/api/types";
import { Badge, type Tone } from "@/ui/Badge";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { count } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { Skeleton } from "@/ui/Skeleton";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useLanguage, useWords } from "@/words";
import { arrange, type Facts, type Latency, type Node, net, sol, type Thread } from "./facts";
import { millis } from "./SolanaPage";
import { ThreadName } from "./Threads";
import { solanaWords } from "./words";

const amount = "tabular-nums whitespace-nowrap";

/** What executions have brought and cost, in total and by thread. */
export function Profit({ facts }: { facts?: Facts }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const sum = facts?.profit;
  const money = (id: string, title: string, of: (one: Thread) => string): Column<Thread> => ({
    id,
    title,
    align: "right",
    className: amount,
    cell: of,
  });
  return (
    <div className="flex flex-col gap-4">
      <Section title={t("total")}>
        {sum ? (
          <dl className="grid max-w-md grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-sm">
            <dt className="text-soft">{t("count")}</dt>
            <dd className="text-right tabular-nums">{count(sum.executions, language)}</dd>
            <dt className="text-soft">{t("failures")}</dt>
            <dd className="text-right tabular-nums">{count(sum.failures, language)}</dd>
            <dt className="text-soft">{t("earned")}</dt>
            <dd className="text-right tabular-nums">{sol(sum.earned)}</dd>
            <dt className="text-soft">{t("spent")}</dt>
            <dd className="text-right tabular-nums">{sol(-sum.spent)}</dd>
            <dt className="border-t pt-1 font-medium">{t("net")}</dt>
            <dd className="border-t pt-1 text-right font-medium tabular-nums">{sol(net(sum), true)}</dd>
          </dl>
        ) : (
          <Skeleton className="h-24 w-80" />
        )}
      </Section>
      {facts && facts.threads.length > 0 && (
        <Section title={t("perThread")} text={t("perThreadText")} flush>
          <Table
            label={t("perThread")}
            columns={[
              { id: "thread", title: t("thread"), fixed: true, cell: (one) => <ThreadName one={one} /> },
              money("count", t("count"), (one) => count(one.count, language)),
              money("earned", t("earned"), (one) => sol(one.earned ?? 0)),
              money("spent", t("spent"), (one) => sol(-(one.spent ?? 0))),
              money("net", t("net"), (one) => sol(net(one), true)),
            ]}
            rows={arrange(facts.threads, facts.clock, "", "-net")}
            rowKey={(one) => one.key}
            empty={null}
          />
        </Section>
      )}
    </div>
  );
}

const tones: Record<string, Tone> = { closed: "good", open: "bad", half_open: "warn" };

/** The nodes that an executor asks. */
export function Nodes({ facts }: { facts?: Facts }) {
  const t = useWords(solanaWords);
  const role = (one: Node) => (["reading", "submitting", "both"] as const).find((known) => known === one.role);
  const state = (one: Node) => (["closed", "open", "half_open"] as const).find((known) => known === one.state);
  const columns: Column<Node>[] = [
    { id: "host", title: t("host"), fixed: true, cell: (one) => <span className="font-mono text-xs">{one.host}</span> },
    {
      id: "role",
      title: t("role"),
      cell: (one) => {
        const known = role(one);
        return known ? t(`role.${known}`) : one.role;
      },
    },
    {
      id: "state",
      title: t("state"),
      cell: (one) => {
        const known = state(one);
        return <Badge tone={tones[one.state] ?? "plain"}>{known ? t(`state.${known}`) : one.state}</Badge>;
      },
    },
    {
      id: "latency",
      title: t("latency"),
      align: "right",
      className: amount,
      cell: (one) => (one.latency > 0 ? millis(one.latency) : "–"),
    },
    {
      id: "reason",
      title: t("reason"),
      className: "w-full max-w-0 min-w-40 truncate text-soft",
      cell: (one) => <span title={one.reason}>{one.reason || "–"}</span>,
    },
  ];
  return (
    <Section flush>
      <Table
        label={t("nodes")}
        columns={columns}
        rows={facts?.nodes}
        rowKey={(one) => `${one.host} ${one.role}`}
        empty={<Empty icon={Server} title={t("noNodes")} />}
      />
    </Section>
  );
}

/** What an executor is, and further figures. */
export function About({ facts, executor }: { facts?: Facts; executor?: Schema<"Executor"> }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  if (!facts || !executor) return <Skeleton className="h-40 w-full" />;
  const n = (value: number) => count(value, language);
  const took = (of: Latency) =>
    of.count > 0 && t("quantiles", { p50: millis(of.p50), p99: millis(of.p99), max: millis(of.max) });
  const failed = Object.entries(facts.totals.failures ?? {}).sort(([, a], [, b]) => b - a);
  return (
    <Section>
      <KeyValue
        items={[
          [
            t("executor"),
            <Link
              key="group"
              to="/groups/$ns/$key"
              params={{ ns: executor.namespace, key: executor.group }}
              className="break-all"
            >
              {executor.address}
            </Link>,
          ],
          [t("address"), <Copied key="key" text={facts.executor} />],
          [t("program"), <Copied key="program" text={facts.program} />],
          [t("profile"), facts.profile],
          [t("mode"), facts.mode],
          [t("forgo"), facts.forgo ? "✓" : undefined],
          [t("started"), facts.started ? <Time key="started" at={facts.started} /> : undefined],
          [t("told"), executor.facts_at ? <Time key="told" at={executor.facts_at} /> : undefined],
          [
            t("transactions"),
            t("sentText", {
              sent: n(facts.totals.sent),
              resent: n(facts.totals.resent),
              expired: n(facts.totals.expired),
            }),
          ],
          [t("confirm"), took(facts.to_confirm) || undefined],
          [t("settle"), took(facts.to_settle) || undefined],
          [
            t("classes"),
            failed.length > 0 ? failed.map(([name, times]) => `${name} ${n(times)}`).join(", ") : undefined,
          ],
          [
            t("reports"),
            facts.reports.execute
              ? t("reportsText", {
                  sent: n(facts.reports.sent),
                  waiting: n(facts.reports.waiting),
                  dropped: n(facts.reports.dropped),
                })
              : undefined,
          ],
        ]}
      />
    </Section>
  );
}

function Copied({ text }: { text: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="min-w-0 break-all font-mono text-xs">{text}</span>
      <CopyButton text={text} />
    </span>
  );
}
