import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { get, patch, remove } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Confirm } from "@/ui/Confirm";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Adopted, LostRace } from "@/ui/LostRace";
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

/** Sends a change of a secret as it was read, and tells what is wrong with it. */
function useChange(secret: Secret, version: number, done: () => void, adopt: (now: Secret) => void) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (change: Change) => {
    setBusy(true);
    setProblem(null);
    try {
      await patch("/secrets/{key}", {
        path: { key: secret.key },
        query: { namespace: secret.namespace },
        body: { ...change, version },
      });
      await queries.invalidateQueries({ queryKey: ["/secrets"] });
      void queries.invalidateQueries({ queryKey: ["/secrets/{key}"] });
      done();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  // A conflict that names no field is about the version: somebody was faster.
  const raced = problem && [409, 412].includes(problem.status) && !problem.field;
  const at = (field: string) => problem?.fields.find((one) => one.field === field)?.detail;
  const foot = raced ? (
    <LostRace
      problem={problem}
      load={async () => {
        const { key, namespace } = secret;
        adopt(await get("/secrets/{key}", { path: { key }, query: { namespace } }));
        setProblem(null);
        void queries.invalidateQueries({ queryKey: ["/secrets/{key}"] });
      }}
    />
  ) : (
    problem && problem.fields.length === 0 && <ErrorState problem={problem} compact />
  );
  return { send, busy, problem, at, foot };
}

/** Puts another value into a secret. */
export function SetValue({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const id = useId();
  const [value, setValue] = useState("");
  const [seen, setSeen] = useState(false);
  const [tried, setTried] = useState(false);
  const edit = useEdit(() => ({}), secret.version);
  const change = useChange(
    secret,
    Number(edit.version),
    () => {
      toast.done(t("valueSet"));
      onClose();
    },
    (now) => edit.adopt({}, now.version),
  );
  const submit = async () => {
    setTried(true);
    if (!value) return;
    await change.send({ value });
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
          <Button type="submit" form={id} look="main" busy={change.busy}>
            {t("setValue")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label={t("newValue")}
          help={t("valueHelp")}
          error={tried && !value ? t("missing") : change.at("value")}
          required
        >
          <ValueInput seen={seen} value={value} onChange={(event) => setValue(event.target.value)} />
        </Field>
        <Checkbox checked={seen} onChange={setSeen}>
          {t("see")}
        </Checkbox>
        {!change.problem && <Adopted both={edit.both} />}
        {change.foot}
      </form>
    </Dialog>
  );
}

const secretValues = (secret: Secret) => ({ title: secret.title ?? "", groups: secret.groups ?? [] });

/** Changes what a secret is for. */
export function EditSecret({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const id = useId();
  const edit = useEdit(() => secretValues(secret), secret.version);
  const { title, groups } = edit.values;
  const [force, setForce] = useState(false);
  const change = useChange(secret, Number(edit.version), onClose, (now) => edit.adopt(secretValues(now), now.version));
  const breaks = change.problem?.status === 409 && change.problem.field === "groups";
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("editTitle", { key: secret.key })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button type="submit" form={id} look={force ? "danger" : "main"} busy={change.busy}>
            {shared("save")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void change.send({ title: title.trim(), groups, ...(force ? { force } : {}) });
        }}
      >
        <Field label={t("description")} help={t("descriptionHelp")} error={change.at("title")}>
          <Input maxLength={200} value={title} onChange={(event) => edit.set({ title: event.target.value })} />
        </Field>
        <Field label={t("groups")} help={t("groupsHelp")} error={change.at("groups")}>
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
        {!change.problem && <Adopted both={edit.both} names={{ title: t("description"), groups: t("groups") }} />}
        {change.foot}
      </form>
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
