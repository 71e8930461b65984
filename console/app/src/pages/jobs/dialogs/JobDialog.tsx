import type { Job } from "@/api/types";
import type { JobAction } from "../actions";
import { BackfillDialog } from "./BackfillDialog";
import { CopyDialog } from "./CopyDialog";
import { DeleteDialog } from "./DeleteDialog";
import { ExplainDialog } from "./ExplainDialog";
import { RunDialog } from "./RunDialog";

/** The dialog of a deed. */
export function JobDialog({
  deed,
  job,
  onClose,
  onDeleted,
}: {
  deed: JobAction;
  job: Job;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  switch (deed) {
    case "run":
      return <RunDialog job={job} onClose={onClose} />;
    case "backfill":
      return <BackfillDialog job={job} onClose={onClose} />;
    case "copy":
    case "instance":
      return <CopyDialog job={job} instances={deed === "instance"} onClose={onClose} />;
    case "delete":
      return <DeleteDialog job={job} onClose={onClose} onDone={onDeleted} />;
    case "explain":
      return <ExplainDialog job={job} onClose={onClose} />;
  }
}
