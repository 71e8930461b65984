import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search, Workflow } from "lucide-react";
import { list } from "@/shell/search";
import { Badge, type Tone } from "@/ui/Badge";
import { ColumnChooser } from "@/ui/ColumnChooser";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { count, duration } from "@/ui/format";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useLanguage, useWords } from "@/words";
import { arrange, dueAt, type Facts, net, type Standing, shortKey, sol, standing, type Thread } from "./facts";
import { solanaWords } from "./words";

const tones: Record<Standing, Tone> = { dead: "bad", paused: "warn", ready: "busy", waits: "idle", idle: "plain" };

/** The threads that an executor follows: when each is due, and what it has brought. */
export function Threads({ facts }: { facts?: Facts }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const search = useSearch({ from: "/shell/solana" });
  const navigate = useNavigate();
  const change = (changed: { text?: string; sort?: string; cols?: string[] }) =>
    void navigate({ to: "/solana", search: (before) => ({ ...before, ...changed }), replace: true });
  const shown = list(search.cols);
  const columns = useColumns(facts);
  const rows = facts && arrange(facts.threads, facts.clock, search.text ?? "", search.sort ?? "");
  const fed = facts && !facts.observed;
  return (
    <>
      {facts && facts.threads.length > 0 && (
        <FilterBar
          filters={[]}
          values={{ text: search.text }}
          onChange={(values) => change({ text: values.text as string | undefined })}
          search="text"
          searchLabel={t("search")}
        >
          {facts.threads.length < facts.threads_total && (
            <span className="text-faint text-xs">
              {t("shown", { n: count(facts.threads.length, language), all: count(facts.threads_total, language) })}
            </span>
          )}
          <ColumnChooser columns={columns} shown={shown} onChange={(cols) => change({ cols })} />
        </FilterBar>
      )}
      <Section flush>
        <Table
          label={t("threads")}
          columns={columns}
          shown={shown}
          rows={rows}
          rowKey={(one) => one.key}
          sort={search.sort}
          onSort={(sort) => change({ sort })}
          empty={
            search.text && facts?.threads.length ? (
              <Empty icon={Search} title={t("noFound")} />
            ) : (
              <Empty icon={Workflow} title={fed ? t("fed") : t("noThreads")}>
                {fed ? t("fedText") : t("noThreadsText")}
              </Empty>
            )
          }
        />
      </Section>
    </>
  );
}

function useColumns(facts?: Facts): Column<Thread>[] {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const job = facts?.reports.execute;
  const columns: Column<Thread>[] = [
    { id: "thread", title: t("thread"), sort: "thread", fixed: true, cell: (one) => <ThreadName one={one} /> },
    {
      id: "standing",
      title: t("state"),
      cell: (one) => <Badge tone={tones[standing(one)]}>{t(`standing.${standing(one)}`)}</Badge>,
    },
    { id: "trigger", title: t("trigger"), cell: (one) => <Trigger one={one} />, className: "whitespace-nowrap" },
    {
      id: "due",
      title: t("due"),
      sort: "due",
      cell: (one) => <Due one={one} facts={facts} />,
      className: "whitespace-nowrap",
    },
    {
      id: "count",
      title: t("count"),
      sort: "-count",
      align: "right",
      className: "tabular-nums",
      cell: (one) => count(one.count, language),
    },
    {
      id: "net",
      title: t("net"),
      sort: "-net",
      align: "right",
      className: "tabular-nums whitespace-nowrap",
      cell: (one) => sol(net(one), true),
    },
    {
      id: "fiber",
      title: t("fiber"),
      extra: true,
      align: "right",
      className: "tabular-nums",
      cell: (one) => (one.fiber < 0 ? "–" : one.fiber),
    },
    { id: "last", title: t("last"), sort: "-last", cell: (one) => <Last one={one} />, className: "whitespace-nowrap" },
    {
      id: "by",
      title: t("by"),
      extra: true,
      cell: (one) =>
        !one.by ? (
          <span className="text-faint">–</span>
        ) : one.by === facts?.executor ? (
          t("byThis")
        ) : (
          <Key text={one.by} />
        ),
    },
  ];
  columns.push({
    id: "owner",
    title: t("owner"),
    extra: true,
    cell: (one) => <Key text={one.owner} />,
  });
  if (job) {
    columns.push({
      id: "runs",
      title: t("runs"),
      cell: (one) => (
        <Link
          to="/runs"
          search={{ job, text: one.key } as never}
          className="inline-flex h-6 items-center"
          aria-label={t("runsOf", { id: one.id || shortKey(one.key) })}
        >
          {t("runs")}
        </Link>
      ),
    });
  }
  return columns;
}

/** A key in few signs, to copy in full. */
export function Key({ text }: { text: string }) {
  return (
    <span className="inline-flex items-center gap-0.5 font-mono text-xs" title={text}>
      {shortKey(text)}
    </span>
  );
}

/** A thread's id and its address. */
export function ThreadName({ one }: { one: Pick<Thread, "key" | "id" | "name"> }) {
  return (
    <span className="flex items-center gap-1 whitespace-nowrap">
      {one.id && (
        <span className="max-w-48 truncate font-medium" title={one.name || one.id}>
          {one.id}
        </span>
      )}
      <span className="font-mono text-faint text-xs" title={one.key}>
        {shortKey(one.key)}
      </span>
      <CopyButton text={one.key} />
    </span>
  );
}

function Trigger({ one }: { one: Thread }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const value = one.value ?? "";
  switch (one.trigger) {
    case "interval":
      return <>{t("trigger.interval", { value: duration(Number(value) * 1000) })}</>;
    case "timestamp":
      return <Time at={Number(value) * 1000} as="absolute" />;
    case "cron":
      return <span className="font-mono text-xs">{value}</span>;
    case "slot":
    case "epoch":
      return <>{t(`trigger.${one.trigger}`, { value: count(Number(value), language) })}</>;
    case "account":
      return <span title={value}>{t("trigger.account", { value: shortKey(value) })}</span>;
    case "immediate":
      return <>{t("trigger.immediate")}</>;
  }
  return <>{one.trigger}</>;
}

function Due({ one, facts }: { one: Thread; facts?: Facts }) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  if (one.ready) return <>{t("due.now")}</>;
  const at = facts && dueAt(one, facts.clock);
  const n = count(one.due ?? 0, language);
  const time = at !== undefined && <Time at={at} />;
  switch (one.unit) {
    case "seconds":
      return <>{time}</>;
    case "slots":
      return (
        <>
          {time} <span className="text-faint text-xs">{t("due.slots", { n })}</span>
        </>
      );
    case "epochs":
      return <>{t("due.epochs", { n })}</>;
    case "change":
      return <>{t("due.change")}</>;
    case "now":
      return <>{t("due.now")}</>;
  }
  return <span className="text-faint">–</span>;
}

function Last({ one }: { one: Thread }) {
  const t = useWords(solanaWords);
  const known = (["executed", "superseded", "gone", "dead"] as const).find((outcome) => outcome === one.outcome);
  if (!known) return <span className="text-faint">–</span>;
  return (
    <span title={one.reason} className={known === "dead" ? "text-bad" : undefined}>
      {t(`outcome.${known}`)} <Time at={one.at} className="text-faint" />
    </span>
  );
}
