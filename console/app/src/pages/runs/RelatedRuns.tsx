import { useGet } from "@/api/query";
import type { Run, Schema } from "@/api/types";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { StateBadge } from "@/ui/StateBadge";
import { useWords } from "@/words";
import { causeWords } from "@/words/shared";
import { fromRun, isOutOfSight } from "./cause";
import { JobLink, RunLink } from "./columns";
import { runsWords } from "./words";

const deepest = 5;

/** Where a run came from and what it led to: parents, shards' wholes, dead runs in whose place it stands, children. */
export function RelatedRuns({ run, facts }: { run: Run; facts: readonly Schema<"Fact">[] | undefined }) {
  const t = useWords(runsWords);
  // Children are made as their parent ends: the API finds them by that.
  const ended = Date.parse(run.ended_at ?? "");
  const near = useGet(
    "/runs",
    {
      query: {
        cause: "parent",
        created_since: new Date((Number.isFinite(ended) ? ended : 0) - 1_000).toISOString(),
        created_until: new Date((Number.isFinite(ended) ? ended : 0) + 60_000).toISOString(),
        limit: 500,
      },
    },
    { enabled: Number.isFinite(ended), staleTime: 30_000 },
  );
  const children = near.data?.runs.filter((one) => one.cause_id === run.id) ?? [];
  const up = fromRun(run);
  const told = new Set([up, run.id, ...children.map((one) => one.id)]);
  const others = [
    ...new Set(
      [...(facts ?? []).map((fact) => fact.run_id), run.dead_letter?.redriven_run].filter(
        (id): id is string => Boolean(id) && !told.has(id),
      ),
    ),
  ].slice(0, 20);
  const none = !up && run.cause !== "backfill" && children.length === 0 && others.length === 0;
  return (
    <Section title={t("kin")} text={t("kinText")}>
      {none ? (
        <p className="text-soft">{t("noKin")}</p>
      ) : (
        <div className="flex flex-col gap-3">
          {(up || run.cause === "backfill") && (
            <Part title={t("causedBy")}>
              {up && <Upward id={up} depth={1} ask={facts !== undefined && !isOutOfSight(facts)} />}
              {run.cause === "backfill" && run.cause_id && (
                <Link to="/backfills/$id" params={{ id: run.cause_id }}>
                  {t("backfill", { id: run.cause_id })}
                </Link>
              )}
            </Part>
          )}
          {(children.length > 0 || others.length > 0) && (
            <Part title={t("ledTo")}>
              <ul className="flex flex-col gap-1">
                {children.map((one) => (
                  <Relative key={one.id} run={one} />
                ))}
                {others.map((id) => (
                  <ById key={id} id={id} />
                ))}
              </ul>
            </Part>
          )}
        </div>
      )}
    </Section>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 font-medium text-faint text-xs">{title}</h3>
      {children}
    </div>
  );
}

/** The run that caused another, below the one that caused it. */
function Upward({ id, depth, ask }: { id: string; depth: number; ask: boolean }) {
  const { data: run } = useGet("/runs/{id}", { path: { id } }, { enabled: ask, staleTime: 30_000 });
  const up = run && fromRun(run);
  return (
    <ul className="flex flex-col gap-1">
      {up && depth < deepest && (
        <li className="border-line border-l pl-3">
          <Upward id={up} depth={depth + 1} ask />
        </li>
      )}
      {run ? (
        <Relative run={run} />
      ) : (
        <li>
          <RunLink id={id} />
        </li>
      )}
    </ul>
  );
}

function ById({ id }: { id: string }) {
  const { data: run } = useGet("/runs/{id}", { path: { id } }, { staleTime: 30_000 });
  if (!run) {
    return (
      <li>
        <RunLink id={id} />
      </li>
    );
  }
  return <Relative run={run} />;
}

function Relative({ run }: { run: Run }) {
  const cause = useWords(causeWords);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <RunLink id={run.id} />
      <StateBadge state={run.state} bare />
      <JobLink run={run} />
      <span className="text-faint text-xs">{cause(run.cause as Parameters<typeof cause>[0])}</span>
    </li>
  );
}
