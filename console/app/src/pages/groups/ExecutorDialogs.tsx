import { useState } from "react";
import { post, put, remove } from "@/api/client";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { Deed, Executor } from "./health";
import { groupWords } from "./words";

type DialectName = Schema<"ExecutorDialect">["dialect"];

const dialects: DialectName[] = ["auto", "native", "xxl-job", "xxl-job-2", "xxl-job-3", "xxl-job-3.5", "orth-java"];

type Props = { group: string; kind: Deed; executor?: Executor; onClose: () => void };

/** The dialog of what is done to an executor. */
export function ExecutorDialogs({ group, kind, executor, onClose }: Props) {
  if (kind === "add" || !executor) return <AddAddress group={group} onClose={onClose} />;
  if (kind === "dialect") return <SetDialect group={group} executor={executor} onClose={onClose} />;
  return <Asked group={group} kind={kind} executor={executor} onClose={onClose} />;
}

/** Asks before an executor is drained, taken back or removed. */
function Asked({ group, kind, executor, onClose }: Required<Props>) {
  const t = useWords(groupWords);
  const toast = useToast();
  const { address } = executor;
  const on = { path: { group }, query: { address } };
  const drain = async (on_: boolean) => {
    const answer = await put("/groups/{group}/addresses/drain", { ...on, body: { on: on_ } });
    toast.done(t(answer.draining ? "drained" : "undrained", { address }));
  };
  if (kind === "remove") {
    return (
      <Confirm
        open
        danger
        onClose={onClose}
        title={t("remove")}
        text={t("removeText", { address })}
        action={t("remove")}
        onConfirm={async () => {
          await remove("/groups/{group}/addresses", on);
          toast.done(t("removed", { address }));
        }}
      />
    );
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={t(kind === "drain" ? "drain" : "undrain")}
      text={kind === "drain" ? t("drainText", { address }) : address}
      action={t(kind === "drain" ? "drain" : "undrain")}
      onConfirm={() => drain(kind === "drain")}
    />
  );
}

function AddAddress({ group, onClose }: { group: string; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const [address, setAddress] = useState("");
  const [dialect, setDialect] = useState<DialectName>("auto");
  const needed = useNeeded();
  const form = useForm({ faults: { address: needed(address) } });
  const add = () =>
    form.send(async () => {
      const made = await post("/groups/{group}/addresses", { path: { group }, body: { address, dialect } });
      toast.done(t("added", { address: made.address }));
      onClose();
    });
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("addAddress")}
      text={t("addText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{t("addAddress")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void add()} className="flex flex-col gap-3">
        <Field name="address" label={t("address")} help={t("addressHelp")} required>
          <Input
            mono
            placeholder="http://10.0.0.5:9999"
            value={address}
            onChange={(event) => setAddress(event.target.value.trim())}
          />
        </Field>
        <DialectField value={dialect} onChange={setDialect} />
      </Form>
    </Dialog>
  );
}

function SetDialect({ group, executor, onClose }: { group: string; executor: Executor; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const set = executor.dialect_by === "set" ? (executor.dialect as DialectName) : "auto";
  const [dialect, setDialect] = useState<DialectName>(set);
  const form = useForm();
  const apply = () =>
    form.send(async () => {
      await put("/groups/{group}/addresses/dialect", {
        path: { group },
        query: { address: executor.address },
        body: { dialect },
      });
      toast.done(t("saved"));
      onClose();
    });
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("setDialect")}
      text={t("setDialectText", { address: executor.address })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("save")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void apply()} className="flex flex-col gap-3">
        <DialectField value={dialect} onChange={setDialect} />
      </Form>
    </Dialog>
  );
}

function DialectField({ value, onChange }: { value: DialectName; onChange: (value: DialectName) => void }) {
  const t = useWords(groupWords);
  return (
    <Field name="dialect" label={t("dialect")}>
      <Select
        value={value}
        onChange={onChange}
        options={dialects.map((one) => ({ value: one, label: one === "auto" ? t("auto") : one }))}
      />
    </Field>
  );
}
