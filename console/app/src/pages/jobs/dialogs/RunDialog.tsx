import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { zone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../deeds";
import { deedWords } from "../words";
import { InstantInput } from "./InstantInput";
import { ParamInput } from "./ParamInput";

/** Makes a run of a job by hand: with the job's parameter or another, anywhere or on named executors. */
export function RunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = useWords(deedWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useJobsChanged();
  const [param, setParam] = useState<string | null>(null);
  const [addresses, setAddresses] = useState<string[]>([]);
  const [delay, setDelay] = useState("");
  const [slot, setSlot] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const executors = useGet("/executors");
  const of = (field: string) => (problem?.field === field ? problem.detail : undefined);
  const run = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const made = await post("/jobs/{key}/trigger", {
        path: { key: job.key },
        query: { namespace: job.namespace },
        body: {
          param: param ?? undefined,
          addresses: addresses.length > 0 ? addresses : undefined,
          delay: delay.trim() || undefined,
          planned_at: slot || undefined,
        },
      });
      toast.done(t("didRun", { id: made.id, key: job.key }), undefined, {
        label: t("open"),
        onAction: () => void navigate({ to: "/runs/$id", params: { id: made.id } } as never),
      });
      void changed();
      onClose();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const options = (executors.data?.executors ?? [])
    .filter((one) => one.group === job.group)
    .map((one) => ({ value: one.address, label: one.address }));
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("runTitle", { key: job.key })}
      text={t("runText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button look="main" busy={busy} onClick={run}>
            {t("doRun")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ParamInput own={job.param} value={param} onChange={setParam} />
        <Field label={t("addresses")} help={t("addressesHelp")} error={of("addresses")}>
          <MultiSelect
            free
            value={addresses}
            onChange={setAddresses}
            options={options}
            placeholder={t("anyExecutor", { group: job.group })}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t("later")} help={t("laterHelp")} error={of("delay")}>
            <Input mono value={delay} onChange={(event) => setDelay(event.target.value)} placeholder="0s" />
          </Field>
          <Field label={t("slot")} help={`${t("slotHelp")} ${t("yourZone", { zone })}`} error={of("planned_at")}>
            <InstantInput value={slot} onChange={setSlot} />
          </Field>
        </div>
        {problem && <ErrorState compact problem={problem} />}
      </div>
    </Dialog>
  );
}
