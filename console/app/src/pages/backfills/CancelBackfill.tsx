import { useQueryClient } from "@tanstack/react-query";
import { Ban } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { ProgressBar } from "./Progress";
import { backfillWords } from "./words";

/** Ends a backfill. */
export function CancelBackfill({ backfill, reason: refused }: { backfill: Schema<"Backfill">; reason?: string }) {
  const t = useWords(backfillWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const cancel = async () => {
    await post("/backfills/{id}/cancel", { path: { id: backfill.id }, body: reason ? { reason } : {} });
    for (const path of ["/backfills", "/backfills/{id}", "/runs"]) void queries.invalidateQueries({ queryKey: [path] });
    toast.done(t("cancelDone"));
  };
  return (
    <>
      <Button icon={Ban} look="dangerPlain" reason={refused} onClick={() => setOpen(true)}>
        {t("cancel")}
      </Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={t("cancel")}
        text={t("cancelText")}
        action={t("cancel")}
        danger
        cancels
        onConfirm={cancel}
      >
        <ProgressBar backfill={backfill} />
        <Field label={shared("reason")} help={t("reasonHelp")}>
          <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </Confirm>
    </>
  );
}
