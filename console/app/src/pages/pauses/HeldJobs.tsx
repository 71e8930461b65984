import { areMany } from "@/shell/many";
import { Skeleton } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { isAbout, type PauseBody } from "./pause";
import { useScheduled } from "./useScheduled";
import { pauseWords } from "./words";

const most = 50;

/** The schedules that a pause is about, those that fire soonest first. */
export function HeldJobs({ of }: { of: Pick<PauseBody, "namespace" | "groups"> }) {
  const t = useWords(pauseWords);
  const { data, error } = useScheduled();
  if (error) return null;
  const jobs = data
    ?.filter((job) => isAbout(of, job))
    .sort((a, b) => (a.next_at ?? "9").localeCompare(b.next_at ?? "9") || a.key.localeCompare(b.key));
  const many = areMany(0, data);
  return (
    <section aria-label={t("preview")} aria-busy={!jobs} className="rounded-md border bg-sunken">
      <h3 className="border-b px-3 py-2 text-sm" role="status">
        {jobs ? (
          jobs.length > 0 ? (
            t("previewN", { count: jobs.length })
          ) : (
            t("previewNone")
          )
        ) : (
          <Skeleton className="w-1/2" />
        )}
      </h3>
      {jobs && jobs.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <ul tabIndex={0} className="max-h-40 overflow-y-auto py-1">
          {jobs.slice(0, most).map((job) => (
            <li key={`${job.namespace} ${job.key}`} className="flex flex-wrap gap-x-2 px-3 py-0.5 text-sm">
              <span className="min-w-0 flex-1 truncate">
                {job.key}{" "}
                <span className="text-soft text-xs">{many ? `${job.namespace} · ${job.group}` : job.group}</span>
              </span>
              {job.next_at && (
                <span className="text-soft text-xs">
                  {t("firstFire")} <Time at={job.next_at} />
                </span>
              )}
            </li>
          ))}
          {jobs.length > most && (
            <li className="px-3 py-0.5 text-soft text-xs">{t("andMore", { n: jobs.length - most })}</li>
          )}
        </ul>
      )}
    </section>
  );
}
