import type { Schema } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { count, percent } from "@/ui/format";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useLanguage, useWords } from "@/words";
import { shortKey, sol, success } from "./facts";
import { millis, type Told } from "./SolanaPage";
import { solanaWords } from "./words";

/** Several executors side by side: one of them is shown below. */
export function ExecutorTable({
  told,
  current,
  onChoose,
}: {
  told: Told[];
  current?: string;
  onChoose: (address: string) => void;
}) {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const right = "right" as const;
  const figure = (id: string, title: string, of: (one: NonNullable<Told["facts"]>) => string): Column<Told> => ({
    id,
    title,
    align: right,
    className: "tabular-nums whitespace-nowrap",
    cell: (one) => (one.facts ? of(one.facts) : "–"),
  });
  const columns: Column<Told>[] = [
    {
      id: "executor",
      title: t("executor"),
      fixed: true,
      cell: (one) => (
        <button
          type="button"
          className="rounded-sm text-left text-accent hover:underline"
          aria-pressed={one.executor.address === current}
          onClick={() => onChoose(one.executor.address)}
        >
          <span className="whitespace-nowrap font-mono text-xs">
            {one.facts ? shortKey(one.facts.executor) : shortAddress(one.executor)}
          </span>
        </button>
      ),
    },
    {
      id: "group",
      title: t("place"),
      cell: (one) => <span className="text-soft">{shortAddress(one.executor)}</span>,
    },
    {
      id: "trouble",
      title: t("state"),
      cell: (one) =>
        one.facts?.trouble ? (
          <Badge tone="bad" title={one.facts.trouble.reason}>
            {t("stopped")}
          </Badge>
        ) : (
          <Badge tone="good">{t("state.closed")}</Badge>
        ),
    },
    figure("balance", t("balance"), (facts) => sol(facts.balance)),
    figure("net", t("net"), (facts) => sol(facts.profit.earned - facts.profit.spent, true)),
    figure("executed", t("executed"), (facts) => count(facts.totals.executed, language)),
    figure("rate", t("rate"), (facts) => {
      const rate = success(facts.totals);
      return rate === undefined ? "–" : percent(rate, language);
    }),
    figure("dead", t("dead"), (facts) => count(facts.queue.dead, language)),
    figure("wire", t("wire"), (facts) => (facts.to_wire.count ? millis(facts.to_wire.p50) : "–")),
    { id: "told", title: t("told"), cell: (one) => <Time at={one.at} /> },
  ];
  return (
    <Section title={t("executors")} flush>
      <Table
        label={t("executors")}
        columns={columns}
        rows={told}
        rowKey={(one) => one.executor.address}
        current={current}
        onOpen={(one) => onChoose(one.executor.address)}
        empty={null}
      />
    </Section>
  );
}

/** The address of an executor without what all have: of one that pulls the end of its instance. */
export function shortAddress(one: Schema<"Executor">): string {
  const pulls = /^pull:\/\/(.+)\/([0-9a-f]{24})$/.exec(one.address);
  return pulls ? `${pulls[1]}/${pulls[2]?.slice(-6)}` : one.address.replace(/^https?:\/\//, "").replace(/\/$/, "");
}
