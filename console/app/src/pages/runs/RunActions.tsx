import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, Repeat, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import type { Run } from "@/api/types";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords, stateWords } from "@/words/shared";
import { RerunDialog } from "./RerunDialog";
import { runsWords } from "./words";

type Deed = "cancel" | "rerun" | "redrive";

/** What can be done with one run. */
export function RunActions({ run, namespace, group }: { run: Run; namespace?: string; group?: string }) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const states = useWords(stateWords);
  const { whyNot } = useSession();
  const queries = useQueryClient();
  const toast = useToast();
  const navigate = useNavigate();
  const [deed, setDeed] = useState<Deed | null>(null);
  const [reason, setReason] = useState("");
  const right = whyNot("operate", namespace, group);
  const refresh = () => {
    for (const path of [
      "/runs",
      "/runs/{id}",
      "/runs/{id}/attempts",
      "/runs/{id}/shards",
      "/runs/{id}/explanation",
      "/dead-letters",
    ]) {
      void queries.invalidateQueries({ queryKey: [path] });
    }
  };
  const cancel = async () => {
    const now = await post("/runs/{id}/cancel", { path: { id: run.id }, body: reason ? { reason } : {} });
    toast.done(now.final ? t("cancelled") : t("stopping"));
    refresh();
  };
  const made = (id: string) => {
    refresh();
    toast.done(t("rerunDone", { id }));
    void navigate({ to: "/runs/$id", params: { id } });
  };
  const letter = run.dead_letter?.status === "open";
  return (
    <>
      {!run.final && (
        <Button icon={Ban} look="dangerPlain" reason={right} onClick={() => setDeed("cancel")}>
          {t("cancelRun")}
        </Button>
      )}
      {letter && (
        <Button icon={RotateCcw} reason={right} onClick={() => setDeed("redrive")}>
          {t("redrive")}
        </Button>
      )}
      {run.final && (
        <Button icon={Repeat} look="main" reason={right} onClick={() => setDeed("rerun")}>
          {t("rerun")}
        </Button>
      )}
      <Confirm
        open={deed === "cancel"}
        onClose={() => setDeed(null)}
        title={t("cancelRun")}
        text={t("cancelText")}
        action={t("cancelRun")}
        danger
        cancels
        moot={run.final && t("overAlready", { state: states(run.state) })}
        onConfirm={cancel}
      >
        <Field label={shared("reason")} help={t("reasonHelp")}>
          <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </Confirm>
      {(deed === "rerun" || deed === "redrive") && (
        <RerunDialog
          run={run}
          redrives={deed === "redrive"}
          namespace={namespace}
          group={group}
          onClose={() => setDeed(null)}
          onDone={made}
        />
      )}
    </>
  );
}
