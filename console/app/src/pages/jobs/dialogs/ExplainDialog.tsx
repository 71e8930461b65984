import type { Job } from "@/api/types";
import { Dialog } from "@/ui/Dialog";
import { useWords } from "@/words";
import { actionWords } from "../words";
import { Explanation } from "./Explanation";

/** Explains why a job did, did not or will run. */
export function ExplainDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = useWords(actionWords);
  return (
    <Dialog open size="large" onClose={onClose} title={t("explainTitle", { key: job.key })}>
      <div className="pb-3">
        <Explanation job={job} />
      </div>
    </Dialog>
  );
}
