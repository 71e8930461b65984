import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { post } from "@/api/client";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { inSpace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { ValueInput } from "./ValueInput";
import { secretWords } from "./words";

/** Creates a secret: key, description and write-only value. */
export function CreateSecret({
  namespace,
  place,
  onClose,
}: {
  namespace: string;
  /** Chooses the namespace, where all are shown. */
  place?: ReactNode;
  onClose: () => void;
}) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const needed = useNeeded();
  const [key, setKey] = useState("");
  const [title, setTitle] = useState("");
  const [groups, setGroups] = useState<string[]>([]);
  const [value, setValue] = useState("");
  const [seen, setSeen] = useState(false);
  const form = useForm({ faults: { key: needed(key), value: value === "" ? needed(value) : undefined } });
  const submit = async () => {
    const wanted = key.trim();
    const done = await form.send(() =>
      post("/secrets", {
        query: { namespace },
        body: {
          key: wanted,
          value,
          ...(title.trim() ? { title: title.trim() } : {}),
          ...(groups.length ? { groups } : {}),
        },
      }),
    );
    if (!done) return;
    await queries.invalidateQueries({ queryKey: ["/secrets"] });
    toast.done(t("created", { key: wanted }));
    onClose();
    const search = place ? { search: inSpace("", namespace) } : {};
    await navigate({ to: "/secrets/$key", params: { key: wanted }, ...search });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("create")}
      text={t("createText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void submit()} className="flex flex-col gap-3">
        <Field name="key" label={shared("key")} help={t("keyHelp")} required>
          <Input mono placeholder="billing-api" value={key} onChange={(event) => setKey(event.target.value)} />
        </Field>
        {place}
        <Field name="title" label={t("description")} help={t("descriptionHelp")}>
          <Input maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Field name="groups" label={t("groups")} help={t("groupsHelp")}>
          <MultiSelect
            value={groups}
            onChange={setGroups}
            options={groupFinder(namespace)}
            placeholder={t("allGroups")}
            free
          />
        </Field>
        <Field name="value" label={t("value")} help={t("valueHelp")} required>
          <ValueInput seen={seen} value={value} onChange={(event) => setValue(event.target.value)} />
        </Field>
        <Checkbox checked={seen} onChange={setSeen}>
          {t("see")}
        </Checkbox>
      </Form>
    </Dialog>
  );
}
