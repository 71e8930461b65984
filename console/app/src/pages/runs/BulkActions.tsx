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
  // What was selected when the dialog was opened: the list behind it stays live, and what is
  // shown to be touched must not change under the button that does it.
  const [asked, setAsked] = useState<{ deed: BulkDeed; ids: string[]; filter: BulkFilter | null } | null>(null);
  const fit = {
    cancel: rows.filter((run) => !run.final),
    rerun: rows.filter((run) => run.final),
    redrive: rows.filter((run) => ["failed", "timed_out", "lost"].includes(run.state)),
  };
  const reason = rows.map((run) => whyNot("operate", run.namespace, run.group)).find(Boolean);
  // All that is found goes only with all that is shown: who picked three means three.
  const whole = rows.length === found ? filter : null;
  const ask = (deed: BulkDeed) =>
    setAsked({ deed, ids: fit[deed].map((run) => run.id), filter: deed === "redrive" ? null : whole });
  return (
    <>
      <SelectionBar count={rows.length} onClear={onClear}>
        <Button
          size="small"
          icon={Ban}
          reason={reason ?? (fit.cancel.length === 0 ? t("onlyOver") : undefined)}
          onClick={() => ask("cancel")}
        >
          {t("cancelMany", { count: fit.cancel.length })}
        </Button>
        <Button
          size="small"
          icon={Repeat}
          reason={reason ?? (fit.rerun.length === 0 ? t("notOverYet") : undefined)}
          onClick={() => ask("rerun")}
        >
          {t("rerunMany", { count: fit.rerun.length })}
        </Button>
        {fit.redrive.length > 0 && (
          <Button size="small" icon={RotateCcw} reason={reason} onClick={() => ask("redrive")}>
            {t("redriveMany", { count: fit.redrive.length })}
          </Button>
        )}
      </SelectionBar>
      {asked && (
        <BulkDialog
          {...asked}
          onClose={(done) => {
            setAsked(null);
            if (!done) return;
            void queries.invalidateQueries({ queryKey: ["/dead-letters"] });
            onDone();
          }}
        />
      )}
    </>
  );
}
