import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/client";
import { allJobs } from "@/pages/jobs/allJobs";
import { Pairs } from "@/pages/jobs/form/Pairs";
import { groupFinder, jobFinder } from "@/pages/runs/useRunFilters";
import { Field } from "@/ui/Field";
import { MultiSelect } from "@/ui/MultiSelect";
import { Skeleton } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { fits, fitsGroup, type ScopeValues, scopeOf } from "./scope";
import { alarmWords } from "./words";

/** What a rule or a silence is about, with what that is now. */
export function ScopeFields({
  value,
  onChange,
  namespace,
  groupsOnly,
}: {
  value: ScopeValues;
  onChange: (changed: Partial<ScopeValues>) => void;
  namespace: string;
  /** It is about groups of executors alone. */
  groupsOnly?: boolean;
}) {
  const t = useWords(alarmWords);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-faint text-xs">{t("scopeHelp")}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field name="scope.jobs" label={t("jobs")}>
          <MultiSelect
            free
            value={value.jobs}
            onChange={(jobs) => onChange({ jobs })}
            options={jobFinder(namespace)}
            placeholder="billing-*"
          />
        </Field>
        <Field name="scope.groups" label={t("groups")}>
          <MultiSelect
            free
            value={value.groups}
            onChange={(groups) => onChange({ groups })}
            options={groupFinder(namespace)}
          />
        </Field>
      </div>
      <Field name="scope.labels" group label={t("labels")} help={t("labelsHelp")}>
        <Pairs value={value.labels} onChange={(labels) => onChange({ labels })} add={t("addLabel")} />
      </Field>
      <Matches scope={value} namespace={namespace} groupsOnly={groupsOnly} />
    </div>
  );
}

const most = 8;

/** What a scope is about now: the jobs, or the groups of executors. */
function Matches({ scope, namespace, groupsOnly }: { scope: ScopeValues; namespace: string; groupsOnly?: boolean }) {
  const t = useWords(alarmWords);
  const wanted = scopeOf(scope);
  const found = useQuery({
    queryKey: ["/jobs", "scope", namespace],
    queryFn: ({ signal }) => allJobs({ namespace }, signal),
    staleTime: 30_000,
  });
  const groups = useQuery({
    queryKey: ["/groups", "scope", namespace],
    queryFn: ({ signal }) => get("/groups", { query: { namespace }, signal }),
    staleTime: 30_000,
    enabled: groupsOnly,
  });
  const keys = groupsOnly
    ? groups.data?.groups.filter((one) => fitsGroup(wanted, one.key)).map((one) => one.key)
    : found.data?.jobs.filter((one) => fits(wanted, one)).map((one) => one.key);
  if (!keys) return found.error || groups.error ? null : <Skeleton className="w-1/2" />;
  const rest = keys.length - most;
  return (
    <p role="status" className="rounded-md bg-sunken px-3 py-2 text-sm">
      {keys.length === 0 ? (
        t("matchesNone")
      ) : (
        <>
          {t(groupsOnly ? "matchesGroups" : "matches", { count: keys.length })}:{" "}
          <span className="text-soft">
            {keys.slice(0, most).join(", ")}
            {rest > 0 && ` ${t("andMore", { n: rest })}`}
          </span>
        </>
      )}
    </p>
  );
}
