import { useSummary } from "@/api/events";
import { useGet } from "@/api/query";
import { count } from "@/ui/format";
import { useLanguage, useWords } from "@/words";
import { Tile, Tiles } from "./Tile";
import { dashboardWords } from "./words";

/** What goes on at this moment, live, in a namespace, or over all that the user sees when it is empty. */
export function NowTiles({ namespace }: { namespace: string }) {
  const t = useWords(dashboardWords);
  const [language] = useLanguage();
  const told = useSummary(namespace);
  // The stream brings it at once; this is for servers and proxies that let no stream through.
  const { data: asked } = useGet(
    "/summary",
    { query: { namespace: namespace || undefined } },
    { refetchInterval: told ? false : 5_000 },
  );
  const now = told ?? asked;
  const n = (value: number | undefined) => (value === undefined ? undefined : count(value, language));
  return (
    <Tiles label={t("now")}>
      <Tile
        label={t("running")}
        value={n(now?.runs.running)}
        help={t("live")}
        to="/runs"
        search={{ state: ["dispatched", "running", "stopping"] } as never}
      />
      <Tile
        label={t("waiting")}
        value={n(now?.runs.waiting)}
        help={now?.runs.retrying ? t("retrying", { n: count(now.runs.retrying, language) }) : ""}
        to="/runs"
        search={{ state: ["planned", "queued", "waiting_retry"] } as never}
      />
      <Tile label={t("late")} value={n(now?.runs.late)} tone={now?.runs.late ? "warn" : "plain"} help={t("lateHelp")} />
      <Tile
        label={t("alarms")}
        value={n(now?.open.alarms)}
        tone={now?.open.alarms ? "bad" : "plain"}
        help={t("firing")}
        to="/alarms"
      />
      <Tile
        label={t("deadLetters")}
        value={n(now?.open.dead_letters)}
        tone={now?.open.dead_letters ? "bad" : "plain"}
        help={t("open")}
        to="/dead-letters"
      />
      <Tile
        label={t("jobs")}
        value={n(now?.jobs.total)}
        help={now ? t("scheduled", { n: count(now.jobs.scheduled, language) }) : ""}
        to="/jobs"
      />
      <Tile
        label={t("executors")}
        value={n(now?.executors.alive)}
        tone={now?.executors.alive === 0 ? "warn" : "plain"}
        help={now ? outOfOrder(now.executors, t) : ""}
        to="/groups"
      />
    </Tiles>
  );
}

type Executors = { draining: number; unreachable: number; silent: number };

function outOfOrder(executors: Executors, t: ReturnType<typeof useWords<keyof (typeof dashboardWords)["entries"]>>) {
  const parts = (["draining", "unreachable", "silent"] as const)
    .filter((kind) => executors[kind] > 0)
    .map((kind) => `${executors[kind]} ${t(kind).toLowerCase()}`);
  return parts.length > 0 ? parts.join(", ") : t("alive").toLowerCase();
}
