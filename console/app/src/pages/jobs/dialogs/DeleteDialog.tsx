import { useQuery } from "@tanstack/react-query";
import { get, remove } from "@/api/client";
import type { Job } from "@/api/types";
import { Confirm } from "@/ui/Confirm";
import { SkeletonText } from "@/ui/Skeleton";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { useJobsChanged } from "../actions";
import { allJobs } from "../allJobs";
import { actionWords, jobsWords } from "../words";

/** Deletes a job, after showing the impact. */
export function DeleteDialog({ job, onClose, onDone }: { job: Job; onClose: () => void; onDone?: () => void }) {
  const t = useWords(actionWords);
  const jobs = useWords(jobsWords);
  const toast = useToast();
  const changed = useJobsChanged();
  const touched = useQuery({
    queryKey: ["/jobs", "touched", job.namespace, job.key],
    queryFn: async ({ signal }) => {
      const [{ jobs: all }, queued, running] = await Promise.all([
        allJobs({ namespace: job.namespace }, signal),
        get("/runs", { query: runsOf(job, ["planned", "queued", "waiting_retry"]), signal }),
        get("/runs", { query: runsOf(job, ["dispatched", "running", "stopping"]), signal }),
      ]);
      return {
        waiting: queued.runs.length,
        running: running.runs.length,
        parents: all.filter((one) => one.children?.some((child) => child.key === job.key)).length,
        instances: all.filter((one) => one.template === job.key).length,
      };
    },
  });
  const t1 = touched.data;
  return (
    <Confirm
      open
      danger
      onClose={onClose}
      title={t("deleteTitle", { key: job.key })}
      text={t("deleteText")}
      action={t("doDelete")}
      typed={job.key}
      onConfirm={async () => {
        await remove("/jobs/{key}", { path: { key: job.key }, query: { namespace: job.namespace } });
        toast.done(jobs("didDelete", { key: job.key }));
        onDone?.();
        await changed();
      }}
    >
      <div className="rounded-md border bg-sunken px-3 py-2">
        <p className="font-medium">{t("touches")}</p>
        {!t1 && <SkeletonText lines={2} />}
        {t1 && (
          <ul className="list-disc pl-4">
            {t1.running + t1.waiting === 0 ? (
              <li>{t("touchesNothing")}</li>
            ) : (
              <li>{t("touchesNow", { running: t1.running, waiting: t1.waiting })}</li>
            )}
            {t1.parents > 0 && <li>{t("touchesParents", { n: t1.parents })}</li>}
            {t1.instances > 0 && <li>{t("touchesInstances", { n: t1.instances })}</li>}
          </ul>
        )}
      </div>
    </Confirm>
  );
}

type State = "planned" | "queued" | "waiting_retry" | "dispatched" | "running" | "stopping";

function runsOf(job: Job, state: State[]) {
  return { job: job.key, namespace: job.namespace, state: state.join(",") as never, limit: 100 };
}
