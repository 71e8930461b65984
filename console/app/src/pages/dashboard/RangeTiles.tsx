import type { Schema } from "@/api/types";
import { count, duration, parseDuration, percent } from "@/ui/format";
import { useLanguage, useWords } from "@/words";
import { Tile, Tiles } from "./Tile";
import { dashboardWords } from "./words";

/** The figures of the chosen time. */
export function RangeTiles({ data }: { data: Schema<"Dashboard"> | undefined }) {
  const t = useWords(dashboardWords);
  const [language] = useLanguage();
  const total = data?.total;
  const n = (value: number | undefined) => (value === undefined ? undefined : count(value, language));
  const bad = total ? total.failed + total.timed_out + total.lost : undefined;
  const took = (text: string | undefined) => (text ? duration(parseDuration(text)) : "–");
  return (
    <Tiles label={t("range")}>
      <Tile
        label={t("successRate")}
        value={total && (total.success_rate === undefined ? "–" : percent(total.success_rate, language))}
        tone={total?.success_rate !== undefined && total.success_rate < 0.9 ? "bad" : "plain"}
        help={total ? t("runsEnded", { count: total.runs, n: count(total.runs, language) }) : ""}
      />
      <Tile label={t("succeeded")} value={n(total?.succeeded)} />
      <Tile
        label={t("failed")}
        value={n(bad)}
        tone={bad ? "bad" : "plain"}
        help={total && bad ? badParts(total, t) : ""}
        to="/runs"
        search={{ state: ["failed", "timed_out", "lost"] } as never}
      />
      <Tile
        label={t("took")}
        value={total && took(total.took_p50)}
        help={total?.took_p95 ? t("tookHelp", { p95: took(total.took_p95) }) : ""}
      />
      <Tile
        label={t("lag")}
        value={data && (data.lag.attempts > 0 ? took(data.lag.p50) : "–")}
        help={data && data.lag.attempts > 0 ? t("lagHelp", { p99: took(data.lag.p99) }) : ""}
      />
    </Tiles>
  );
}

type Figures = { timed_out: number; lost: number };

function badParts(total: Figures, t: (key: "timedOut" | "lost") => string): string {
  return [total.timed_out > 0 && `${total.timed_out} ${t("timedOut")}`, total.lost > 0 && `${total.lost} ${t("lost")}`]
    .filter(Boolean)
    .join(", ");
}
