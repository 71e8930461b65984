import { useState } from "react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import type { Job, Run } from "@/api/types";
import { faultsOfInputs, InputValues } from "@/pages/jobs/dialogs/ParamInput";
import { httpHandler } from "@/pages/jobs/form/httpcall";
import { commandHandler } from "@/pages/jobs/form/runs";
import { fittingInputs } from "@/pages/jobs/param";
import { actionWords } from "@/pages/jobs/words";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { ParamChoice } from "./ParamChoice";
import { runsWords } from "./words";

type Asked = {
  run: Pick<Run, "id" | "job_key" | "param">;
  /** Whether the run is a dead letter that the new one settles. */
  redrives: boolean;
  namespace: string | undefined;
  group: string | undefined;
  onClose: () => void;
  /** Gets the id of the new run. */
  onDone: (id: string) => void;
};

/** Makes a run again: with the parameter that it had, another one, or other values of the job's inputs. */
export function RerunDialog(asked: Asked) {
  const t = useWords(runsWords);
  const shared = useWords(sharedWords);
  const { data: job, isPending } = useGet(
    "/jobs/{key}",
    { path: { key: asked.run.job_key ?? "" }, query: { namespace: asked.namespace } },
    { retry: false, enabled: Boolean(asked.run.job_key) },
  );
  if (isPending && asked.run.job_key) {
    return (
      <Dialog
        open
        onClose={asked.onClose}
        title={t(asked.redrives ? "redrive" : "rerun")}
        size="small"
        footer={<Button onClick={asked.onClose}>{shared("cancel")}</Button>}
      >
        <SkeletonText lines={3} />
      </Dialog>
    );
  }
  return <AgainForm {...asked} job={job} />;
}

function AgainForm({ run, redrives, namespace, group, onClose, onDone, job }: Asked & { job: Job | undefined }) {
  const t = useWords(runsWords);
  const deeds = useWords(actionWords);
  const shared = useWords(sharedWords);
  const { whyNot } = useSession();
  const inputs = job?.inputs?.length ? job.inputs : undefined;
  const [before] = useState(() => fittingInputs(inputs, run.param));
  const [values, setValues] = useState(before.param);
  const [same, setSame] = useState(true);
  const [param, setParam] = useState(run.param ?? "");
  const form = useForm({ faults: faultsOfInputs(inputs, values, shared("required")) });
  const fixed = job && fixesParam(job) ? whyNot("edit", namespace, group) : undefined;
  const body = () => {
    if (!inputs) return same ? {} : { param };
    return values === before.param && before.whole ? {} : { param: values ?? "{}" };
  };
  const make = () =>
    form.send(async () => {
      const made = redrives
        ? await post("/dead-letters/{run}/redrive", { path: { run: run.id }, body: body() })
        : await post("/runs/{id}/rerun", { path: { id: run.id }, body: body() });
      onClose();
      onDone(made.id);
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(redrives ? "redrive" : "rerun")}
      text={t(redrives ? "redriveText" : "rerunText")}
      size={inputs ? undefined : "small"}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{t(redrives ? "redrive" : "rerun")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void make()} className="flex flex-col gap-3">
        {inputs ? (
          <>
            <InputValues inputs={inputs} value={values} onChange={setValues} />
            {before.others.length > 0 && (
              <p className="text-sm text-warn">{deeds("inputsOver", { names: before.others.join(", ") })}</p>
            )}
          </>
        ) : (
          <ParamChoice {...{ same, setSame, param, setParam, fixed }} />
        )}
      </Form>
    </Dialog>
  );
}

/** Reports whether the parameter of a job defines what is executed. Replacing it then needs the right to edit the job. */
function fixesParam(job: Job): boolean {
  const { kind = "named", name = "" } = job.handler ?? {};
  return kind === "named" && (name === httpHandler || name === commandHandler);
}
