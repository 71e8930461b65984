import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import type { Job, Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { actionWords } from "../words";
import { BulkResults } from "./BulkResults";

type Line = { id: number; key: string; title: string; param: string; cron: string };

const lineOf = (job: Job, id: number): Line => ({ id, key: `${job.key}-${id}`, title: "", param: "", cron: "" });

/** Makes copies of a job, or instances that run its code: each with a key, and a parameter and schedule if it has its own. */
export function CopyDialog({ job, instances, onClose }: { job: Job; instances: boolean; onClose: () => void }) {
  const t = useWords(actionWords);
  const shared = useWords(sharedWords);
  const changed = useJobsChanged();
  const [lines, setLines] = useState<Line[]>([lineOf(job, 1)]);
  const [linked, setLinked] = useState(instances);
  const [result, setResult] = useState<{ dry: boolean; copies: Schema<"Copies"> } | null>(null);
  const form = useForm();
  const hasCode = !job.template;
  const change = (id: number, part: Partial<Line>) => {
    setLines((all) => all.map((line) => (line.id === id ? { ...line, ...part } : line)));
    setResult(null);
  };
  const make = (dry: boolean) =>
    form.send(async () => {
      const copies = await post("/jobs/{key}/copies", {
        path: { key: job.key },
        query: { namespace: job.namespace },
        body: {
          tasks: lines.map((line) => ({
            key: line.key.trim() || undefined,
            title: line.title.trim() || undefined,
            param: line.param === "" ? undefined : line.param,
            schedule: line.cron.trim() ? cronOf(line.cron, job) : undefined,
          })),
          as_instances: linked || undefined,
          dry_run: dry || undefined,
        },
      });
      setResult({ dry, copies });
      if (!dry) void changed();
    });
  const made = result && !result.dry;
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={t(instances ? "instanceTitle" : "copyTitle", { key: job.key })}
      text={t(linked ? "instanceText" : "copyText")}
      footer={
        made ? (
          <Button onClick={onClose}>{shared("close")}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{shared("cancel")}</Button>
            <Button busy={form.busy} onClick={() => void make(true)}>
              {t("check")}
            </Button>
            <Submit form={form}>{t("doCopy")}</Submit>
          </>
        )
      }
    >
      <Form form={form} onSubmit={() => void make(false)} className="flex flex-col gap-3">
        {!made && (
          <>
            <Checkbox checked={linked} disabled={!hasCode} onChange={setLinked}>
              {t("asInstances")}
            </Checkbox>
            {lines.map((line, at) => (
              <CopyLine
                key={line.id}
                line={line}
                number={at + 1}
                onChange={(part) => change(line.id, part)}
                onRemove={lines.length > 1 ? () => setLines(lines.filter((one) => one.id !== line.id)) : undefined}
              />
            ))}
            <Button
              size="small"
              icon={Plus}
              className="self-start"
              disabled={lines.length >= 100}
              onClick={() => setLines([...lines, lineOf(job, Math.max(...lines.map((one) => one.id)) + 1)])}
            >
              {t("addCopy")}
            </Button>
          </>
        )}
        {result && (
          <BulkResults
            title={t(result.dry ? "wouldCopy" : "copied", { n: result.copies.made })}
            items={result.copies.copies}
            link={!result.dry}
          />
        )}
      </Form>
    </Dialog>
  );
}

function cronOf(cron: string, job: Job): Schema<"Schedule"> {
  return { kind: "cron", cron: cron.trim(), zone: job.schedule.zone, dst: job.schedule.dst };
}

function CopyLine({
  line,
  number,
  onChange,
  onRemove,
}: {
  line: Line;
  number: number;
  onChange: (part: Partial<Line>) => void;
  onRemove?: () => void;
}) {
  const t = useWords(actionWords);
  return (
    <div className="grid items-end gap-2 rounded-md border p-3 sm:grid-cols-[1fr_1fr_1fr_1fr_auto]">
      <Field name={`tasks.${number - 1}.key`} label={t("copyKey")}>
        <Input mono value={line.key} onChange={(e) => onChange({ key: e.target.value })} />
      </Field>
      <Field name={`tasks.${number - 1}.title`} label={t("copyTitleField")}>
        <Input value={line.title} placeholder={t("same")} onChange={(e) => onChange({ title: e.target.value })} />
      </Field>
      <Field name={`tasks.${number - 1}.param`} label={t("copyParam")}>
        <Input mono value={line.param} placeholder={t("same")} onChange={(e) => onChange({ param: e.target.value })} />
      </Field>
      <Field name={`tasks.${number - 1}.schedule`} label={t("copyCron")}>
        <Input mono value={line.cron} placeholder={t("same")} onChange={(e) => onChange({ cron: e.target.value })} />
      </Field>
      <IconButton
        icon={Trash2}
        label={t("removeCopy", { n: number })}
        className={onRemove ? undefined : "invisible"}
        onClick={onRemove}
      />
    </div>
  );
}
