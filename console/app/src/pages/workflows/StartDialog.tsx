import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "@/api/client";
import { instantOf } from "@/pages/runs/range";
import { Confirm } from "@/ui/Confirm";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Textarea } from "@/ui/Textarea";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { workflowWords } from "./words";

/** Starts a run of a workflow. */
export function StartDialog({
  workflow,
  namespace,
  open,
  onClose,
}: {
  workflow: string;
  namespace: string;
  open: boolean;
  onClose: () => void;
}) {
  const t = useWords(workflowWords);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [param, setParam] = useState("");
  const [slot, setSlot] = useState("");
  const start = async () => {
    const planned = instantOf(slot);
    const run = await post("/workflows/{key}/runs", {
      path: { key: workflow },
      query: { namespace },
      body: { ...(param ? { param } : {}), ...(planned ? { planned_at: planned } : {}) },
    });
    void queries.invalidateQueries({ queryKey: ["/workflow-runs"] });
    toast.done(t("started", { id: run.id }));
    void navigate({ to: "/workflow-runs/$id", params: { id: run.id } });
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`${t("start")}: ${workflow}`}
      text={t("startText")}
      action={t("start")}
      onConfirm={start}
    >
      <Field label={t("param")} help={t("paramHelp", { open: "{{", close: "}}" })}>
        <Textarea mono value={param} onChange={(event) => setParam(event.target.value)} />
      </Field>
      <Field label={t("plannedAt")} help={t("plannedHelp")}>
        <Input type="datetime-local" step={1} value={slot} onChange={(event) => setSlot(event.target.value)} />
      </Field>
    </Confirm>
  );
}
