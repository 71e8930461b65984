import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { zone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { actionWords } from "../words";
import { InstantInput } from "./InstantInput";
import { faultsOfInputs, ParamInput } from "./ParamInput";

/** Makes a run of a job by hand: with the job's parameter or another, anywhere or on named executors. */
export function RunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = useWords(actionWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useJobsChanged();
  const [param, setParam] = useState<string | null>(null);
  const [addresses, setAddresses] = useState<string[]>([]);
  const [delay, setDelay] = useState("");
  const [slot, setSlot] = useState("");
  const executors = useGet("/executors");
  const form = useForm({ faults: faultsOfInputs(job.inputs, param, shared("required")) });
  const run = () =>
    form.send(async () => {
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
    });
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
          <Submit form={form}>{t("doRun")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void run()} className="flex flex-col gap-4">
        <ParamInput job={job} value={param} onChange={setParam} />
        <Field name="addresses" label={t("addresses")} help={t("addressesHelp")}>
          <MultiSelect
            free
            value={addresses}
            onChange={setAddresses}
            options={options}
            placeholder={t("anyExecutor", { group: job.group })}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field name="delay" label={t("later")} help={t("laterHelp")}>
            <Input mono value={delay} onChange={(event) => setDelay(event.target.value)} placeholder="0s" />
          </Field>
          <Field name="planned_at" label={t("slot")} help={`${t("slotHelp")} ${t("yourZone", { zone })}`}>
            <InstantInput value={slot} onChange={setSlot} />
          </Field>
        </div>
      </Form>
    </Dialog>
  );
}
