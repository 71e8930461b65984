import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { post } from "@/api/client";
import type { Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { showProblem, useZodForm } from "@/ui/form";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { signInWords } from "./words";

/** Gives the one who is signed in another password. `own` is for who wishes to, and does not have to. */
export function ChangePassword({ own, onDone }: { own?: boolean; onDone: () => void }) {
  const t = useWords(signInWords);
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const schema = z
    .object({
      old_password: z.string().min(1, t("missing")),
      new_password: z.string().min(10, t("tooShort")),
      again: z.string().min(1, t("missing")),
    })
    .refine((typed) => typed.again === typed.new_password, { path: ["again"], message: t("differs") });
  const form = useZodForm(schema, { defaultValues: { old_password: "", new_password: "", again: "" } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ old_password, new_password }) => {
    setProblem(null);
    try {
      await post("/session/password", { body: { old_password, new_password } });
      // The account page stays: what it shows must not go before the answer to another read.
      if (own) await queries.invalidateQueries();
      else queries.clear();
      onDone();
    } catch (error) {
      setProblem(showProblem(form, error));
    }
  });
  return (
    <form className="mt-3 flex flex-col gap-3" onSubmit={submit} noValidate>
      {!own && <p className="text-soft">{t("changeText")}</p>}
      <Field label={t("old")} error={errors.old_password?.message}>
        <Input type="password" autoComplete="current-password" autoFocus {...form.register("old_password")} />
      </Field>
      <Field label={t("fresh")} help={t("freshHelp")} error={errors.new_password?.message}>
        <Input type="password" autoComplete="new-password" {...form.register("new_password")} />
      </Field>
      <Field label={t("again")} error={errors.again?.message}>
        <Input type="password" autoComplete="new-password" {...form.register("again")} />
      </Field>
      {problem && <ErrorState problem={problem} compact />}
      <Button type="submit" look="main" size="large" busy={isSubmitting}>
        {t("change")}
      </Button>
    </form>
  );
}
