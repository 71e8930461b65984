import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, patch, remove } from "@/api/client";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Confirm } from "@/ui/Confirm";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import type { Faults } from "@/ui/form/faults";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { Uses } from "./SecretUses";
import type { Secret } from "./secret";
import { ValueInput } from "./ValueInput";
import { secretWords } from "./words";

type Change = { title?: string; groups?: string[]; value?: string; force?: boolean };

/** A form over a secret as it was read; `adopt` merges a newer version. */
function useChange(secret: Secret, version: number, faults: Faults, adopt: (now: Secret) => void) {
  const queries = useQueryClient();
  const form = useForm({ faults });
  const send = (change: Change) =>
    form.send(async () => {
      await patch("/secrets/{key}", {
        path: { key: secret.key },
        query: { namespace: secret.namespace },
        body: { ...change, version },
      });
      await queries.invalidateQueries({ queryKey: ["/secrets"] });
      void queries.invalidateQueries({ queryKey: ["/secrets/{key}"] });
    });
  const { problem } = form;
  // A conflict without a field is a version conflict.
  const raced = problem && [409, 412].includes(problem.status) && !problem.field;
  const instead = raced && (
    <ConflictNotice
      problem={problem}
      load={async () => {
        const { key, namespace } = secret;
        adopt(await get("/secrets/{key}", { path: { key }, query: { namespace } }));
        form.clear();
        void queries.invalidateQueries({ queryKey: ["/secrets/{key}"] });
      }}
    />
  );
  return { form, send, instead };
}

/** Puts another value into a secret. */
export function SetValue({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const needed = useNeeded();
  const [value, setValue] = useState("");
  const [seen, setSeen] = useState(false);
  const edit = useEdit(() => ({}), secret.version);
  const { form, send, instead } = useChange(
    secret,
    Number(edit.version),
    { value: value === "" ? needed(value) : undefined },
    (now) => edit.adopt({}, now.version),
  );
  const submit = async () => {
    if (!(await send({ value }))) return;
    toast.done(t("valueSet"));
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("setValueOf", { key: secret.key })}
      text={t("setValueText")}
      size="small"
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{t("setValue")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void submit()} instead={instead} className="flex flex-col gap-3">
        <Field name="value" label={t("newValue")} help={t("valueHelp")} required>
          <ValueInput seen={seen} value={value} onChange={(event) => setValue(event.target.value)} />
        </Field>
        <Checkbox checked={seen} onChange={setSeen}>
          {t("see")}
        </Checkbox>
        {!form.problem && <MergedNotice both={edit.both} />}
      </Form>
    </Dialog>
  );
}

const secretValues = (secret: Secret) => ({ title: secret.title ?? "", groups: secret.groups ?? [] });

/** Changes what a secret is for. */
export function EditSecret({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const edit = useEdit(() => secretValues(secret), secret.version);
  const { title, groups } = edit.values;
  const [force, setForce] = useState(false);
  const { form, send, instead } = useChange(secret, Number(edit.version), {}, (now) =>
    edit.adopt(secretValues(now), now.version),
  );
  const submit = async () => {
    if (await send({ title: title.trim(), groups, ...(force ? { force } : {}) })) onClose();
  };
  const breaks = form.problem?.status === 409 && form.problem.field === "groups";
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("editTitle", { key: secret.key })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form} look={force ? "danger" : "main"}>
            {shared("save")}
          </Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void submit()} instead={instead} className="flex flex-col gap-3">
        <Field name="title" label={t("description")} help={t("descriptionHelp")}>
          <Input maxLength={200} value={title} onChange={(event) => edit.set({ title: event.target.value })} />
        </Field>
        <Field name="groups" label={t("groups")} help={t("groupsHelp")}>
          <MultiSelect
            value={groups}
            onChange={(chosen) => edit.set({ groups: chosen })}
            options={groupFinder(secret.namespace)}
            placeholder={t("allGroups")}
            free
          />
        </Field>
        {(breaks || force) && (
          <Checkbox checked={force} onChange={setForce}>
            {t("anyway")}
          </Checkbox>
        )}
        {!form.problem && <MergedNotice both={edit.both} names={{ title: t("description"), groups: t("groups") }} />}
      </Form>
    </Dialog>
  );
}

/** Deletes a secret, with the jobs that it would break. */
export function DeleteSecret({
  secret,
  uses,
  onClose,
  onGone,
}: {
  secret: Secret;
  uses: Uses | undefined;
  onClose: () => void;
  onGone: () => void;
}) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const [force, setForce] = useState(false);
  const jobs = uses?.jobs ?? [];
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("deleteTitle", { key: secret.key })}
      text={t("deleteText")}
      action={shared("delete")}
      danger
      typed={secret.key}
      onConfirm={async () => {
        await remove("/secrets/{key}", {
          path: { key: secret.key },
          query: { namespace: secret.namespace, ...(force ? { force } : {}) },
        });
        toast.done(t("deleted", { key: secret.key }));
        onGone();
      }}
    >
      {jobs.length === 0 ? (
        <p className="text-soft">{t("breaksNone")}</p>
      ) : (
        <>
          <p>{t("breaks", { count: jobs.length })}</p>
          <ul className="max-h-40 overflow-y-auto rounded-md border text-xs">
            {jobs.slice(0, 100).map((one) => (
              <li key={one.key} className="flex gap-2 border-b px-3 py-1 last:border-b-0">
                <span className="font-mono">{one.key}</span>
                <span className="text-soft">{one.group}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Checkbox checked={force} onChange={setForce}>
        {t("force")}
      </Checkbox>
    </Confirm>
  );
}
