import { useQueryClient } from "@tanstack/react-query";
import { Ban, Repeat, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { Run } from "@/api/types";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { SelectionBar } from "@/ui/SelectionBar";
import { useWords } from "@/words";
import { type BulkDeed, BulkDialog, type BulkFilter } from "./BulkDialog";
import { runsWords } from "./words";

/** What can be done with the runs that are selected, or with all that the filters find. */
export function BulkActions({
  rows,
  filter,
  found,
  onDone,
  onClear,
}: {
  rows: readonly Run[];
  /** Finds the same as the list; null when bulk actions cannot look for it. */
  filter: BulkFilter | null;
  found: number;
  onDone: () => void;
  onClear: () => void;
}) {
  const t = useWords(runsWords);
  const { whyNot } = useSession();
  const queries = useQueryClient();
  const [deed, setDeed] = useState<BulkDeed | null>(null);
  const open = rows.filter((run) => !run.final).length;
  const over = rows.length - open;
  const bad = rows.filter((run) => ["failed", "timed_out", "lost"].includes(run.state)).length;
  const reason = rows.map((run) => whyNot("operate", run.namespace, run.group)).find(Boolean);
  // All that is found goes only with all that is shown: who picked three means three.
  const whole = rows.length === found ? filter : null;
  return (
    <>
      <SelectionBar count={rows.length} onClear={onClear}>
        <Button
          size="small"
          icon={Ban}
          reason={reason ?? (open === 0 ? t("onlyOver") : undefined)}
          onClick={() => setDeed("cancel")}
        >
          {t("cancelMany", { count: open })}
        </Button>
        <Button
          size="small"
          icon={Repeat}
          reason={reason ?? (over === 0 ? t("notOverYet") : undefined)}
          onClick={() => setDeed("rerun")}
        >
          {t("rerunMany", { count: over })}
        </Button>
        {bad > 0 && (
          <Button size="small" icon={RotateCcw} reason={reason} onClick={() => setDeed("redrive")}>
            {t("redriveMany", { count: bad })}
          </Button>
        )}
      </SelectionBar>
      {deed && (
        <BulkDialog
          deed={deed}
          rows={rows.filter((run) =>
            deed === "cancel"
              ? !run.final
              : deed === "rerun"
                ? run.final
                : ["failed", "timed_out", "lost"].includes(run.state),
          )}
          filter={deed === "redrive" ? null : whole}
          onClose={(done) => {
            setDeed(null);
            if (!done) return;
            void queries.invalidateQueries({ queryKey: ["/dead-letters"] });
            onDone();
          }}
        />
      )}
    </>
  );
}
