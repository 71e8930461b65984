import { useList } from "@/api/query";
import { JobLink, RunLink } from "@/pages/runs/columns";
import { Drawer } from "@/ui/Drawer";
import { Elapsed } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { relative } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink } from "@/ui/Link";
import { SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { useNow } from "@/ui/useNow";
import { useLanguage, useWords } from "@/words";
import { Dialect, HealthBadge } from "./HealthBadge";
import { type Executor, healthOf } from "./health";
import { groupWords } from "./words";

/** All that is known of an executor, with the runs that it has. */
export function ExecutorDrawer({ executor: one, onClose }: { executor: Executor; onClose: () => void }) {
  const t = useWords(groupWords);
  const now = useNow(5_000);
  return (
    <Drawer open onClose={onClose} title={<span className="break-all">{one.address}</span>}>
      <div className="flex flex-col gap-4">
        {one.unreachable && (
          <div className="rounded-md border border-bad/40 bg-bad-tint px-3 py-2">
            <p className="font-medium text-bad">{t("cannotReach")}</p>
            <p className="break-words">{one.unreachable}</p>
            <p className="text-soft">{t("cannotReachText")}</p>
          </div>
        )}
        {one.trouble && (
          <p className="break-words rounded-md border border-bad/40 bg-bad-tint px-3 py-2 text-bad">{one.trouble}</p>
        )}
        <Breaker of={one} />
        <KeyValue
          items={[
            [t("state"), <HealthBadge key="health" health={healthOf(one, now)} />],
            [t("load"), one.load && t("loadOf", { running: one.load.running, waiting: one.load.waiting })],
            [t("dialect"), <Dialect key="dialect" of={one} />],
            [t("kind"), t(one.manual ? "byHand" : "byBeat")],
            [t("registeredAs"), one.registered_as],
            [t("seen"), one.manual && !one.lease_until ? undefined : <Time key="seen" at={one.seen_at} />],
            [t("lease"), one.lease_until && <Time key="lease" at={one.lease_until} />],
            [t("started"), one.started_at && <Time key="started" at={one.started_at} as="absolute" />],
            [t("registered"), <Time key="registered" at={one.registered_at} as="absolute" />],
            [
              t("incarnation"),
              one.incarnation && <span className="break-all font-mono text-xs">{one.incarnation}</span>,
            ],
            [t("features"), one.features?.length ? one.features.join(", ") : undefined],
          ]}
        />
        <Held address={one.address} />
      </div>
    </Drawer>
  );
}

function Breaker({ of }: { of: Executor }) {
  const t = useWords(groupWords);
  const [language] = useLanguage();
  const now = useNow(1_000);
  const breaker = of.breaker;
  if (!breaker) return null;
  const { failures, state } = breaker;
  const until = breaker.until ? relative(Date.parse(breaker.until), now, language) : "–";
  return (
    <div className="rounded-md border border-warn/40 bg-warn-tint px-3 py-2">
      <p className="font-medium text-warn">{t("breaker")}</p>
      <p>
        {state === "open"
          ? t("breakerOpen", { failures, until })
          : t(state === "half_open" ? "breakerHalf" : "breakerClosed", { failures })}
      </p>
      {breaker.reason && <p className="break-words text-soft">{breaker.reason}</p>}
      {state !== "closed" && <p className="text-soft">{t("breakerReset")}</p>}
    </div>
  );
}

/** The runs that an executor has now: those that it runs, and those in its queue. */
function Held({ address }: { address: string }) {
  const t = useWords(groupWords);
  const { data, error, refetch } = useList(
    "/runs",
    "before",
    { query: { executor: address, state: ["running", "dispatched", "stopping"], shards: true, limit: 50 } },
    { refetchInterval: 5_000 },
  );
  const runs = data?.flatMap((page) => page.runs);
  return (
    <section aria-label={t("heldRuns")}>
      <h3 className="mb-1">{t("heldRuns")}</h3>
      {error && <ErrorState problem={error} compact onRetry={() => void refetch()} />}
      {!runs && !error && <SkeletonText lines={2} />}
      {runs?.length === 0 && <p className="text-soft">{t("noRuns")}</p>}
      {runs && runs.length > 0 && (
        <ul className="mb-2 divide-y rounded-md border">
          {runs.map((run) => (
            <li key={run.id} className="flex flex-wrap items-center gap-x-3 px-3 py-1">
              <RunLink id={run.id} />
              <span className="min-w-0 flex-1 truncate">
                <JobLink run={run} />
              </span>
              <StateBadge state={run.state} bare />
              <Elapsed from={run.started_at} className="tabular-nums" />
            </li>
          ))}
        </ul>
      )}
      <ButtonLink size="small" to="/runs" search={{ executor: address } as never}>
        {t("allRuns")}
      </ButtonLink>
    </section>
  );
}
