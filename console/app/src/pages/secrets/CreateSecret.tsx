import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { Controller } from "react-hook-form";
import { z } from "zod";
import { post } from "@/api/client";
import type { Problem } from "@/api/problem";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { inSpace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { showProblem, useZodForm } from "@/ui/form";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { ValueInput } from "./ValueInput";
import { secretWords } from "./words";

/** Makes a secret: its key, what it is for, and the value that nobody sees again. */
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
  const id = useId();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [seen, setSeen] = useState(false);
  const form = useZodForm(
    z.object({
      key: z.string().trim().min(1, t("missing")),
      title: z.string(),
      groups: z.array(z.string()),
      value: z.string().min(1, t("missing")),
    }),
    { defaultValues: { key: "", title: "", groups: [], value: "" } },
  );
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ key, title, groups, value }) => {
    setProblem(null);
    try {
      await post("/secrets", {
        query: { namespace },
        body: { key, value, ...(title.trim() ? { title: title.trim() } : {}), ...(groups.length ? { groups } : {}) },
      });
      await queries.invalidateQueries({ queryKey: ["/secrets"] });
      toast.done(t("created", { key }));
      onClose();
      await navigate({ to: "/secrets/$key", params: { key }, ...(place ? { search: inSpace("", namespace) } : {}) });
    } catch (error) {
      setProblem(showProblem(form, error));
    }
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("create")}
      text={t("createText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button type="submit" form={id} look="main" busy={isSubmitting}>
            {shared("create")}
          </Button>
        </>
      }
    >
      <form id={id} className="flex flex-col gap-3" onSubmit={submit} noValidate>
        <Field label={shared("key")} help={t("keyHelp")} error={errors.key?.message} required>
          <Input mono placeholder="billing-api" {...form.register("key")} />
        </Field>
        {place}
        <Field label={t("description")} help={t("descriptionHelp")} error={errors.title?.message}>
          <Input maxLength={200} {...form.register("title")} />
        </Field>
        <Field label={t("groups")} help={t("groupsHelp")} error={errors.groups?.message}>
          <Controller
            control={form.control}
            name="groups"
            render={({ field }) => (
              <MultiSelect
                value={field.value}
                onChange={field.onChange}
                options={groupFinder(namespace)}
                placeholder={t("allGroups")}
                free
              />
            )}
          />
        </Field>
        <Field label={t("value")} help={t("valueHelp")} error={errors.value?.message} required>
          <ValueInput seen={seen} {...form.register("value")} />
        </Field>
        <Checkbox checked={seen} onChange={setSeen}>
          {t("see")}
        </Checkbox>
        {problem && <ErrorState problem={problem} compact />}
      </form>
    </Dialog>
  );
}
