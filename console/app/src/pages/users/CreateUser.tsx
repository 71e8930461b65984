import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { Controller } from "react-hook-form";
import { z } from "zod";
import { post } from "@/api/client";
import type { Problem } from "@/api/problem";
import type { Schema } from "@/api/types";
import type { Grant } from "@/session/rights";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { showProblem, useZodForm } from "@/ui/form";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { GrantDraft } from "./GrantFields";
import { ShownOnce } from "./ShownOnce";
import { userWords } from "./words";

/** Makes a person or a service. A password that the server makes is shown this once. */
export function CreateUser({ onClose }: { onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const id = useId();
  const [grants, setGrants] = useState<Grant[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<Schema<"MadeUser"> | null>(null);
  const form = useZodForm(
    z.object({
      kind: z.enum(["user", "service"]),
      name: z.string().trim().min(1, t("missing")),
      title: z.string(),
      email: z.string(),
      password: z.string(),
    }),
    { defaultValues: { kind: "user", name: "", title: "", email: "", password: "" } },
  );
  const { errors, isSubmitting } = form.formState;
  const service = form.watch("kind") === "service";
  const open = (name: string) => {
    onClose();
    void navigate({ to: "/users/$name", params: { name } });
  };
  const submit = form.handleSubmit(async ({ kind, name, title, email, password }) => {
    setProblem(null);
    try {
      const user = await post("/users", {
        body: {
          kind,
          name,
          ...(title.trim() ? { title: title.trim() } : {}),
          ...(email.trim() ? { email: email.trim() } : {}),
          ...(password && kind === "user" ? { password } : {}),
          ...(grants.length ? { grants } : {}),
        },
      });
      void queries.invalidateQueries({ queryKey: ["/users"] });
      void queries.invalidateQueries({ queryKey: ["/grants"] });
      if (user.password) return setMade(user);
      toast.done(t("created", { name }));
      open(name);
    } catch (error) {
      setProblem(showProblem(form, error));
    }
  });
  if (made?.password) {
    return (
      <ShownOnce
        title={t("madeTitle", { name: made.name })}
        text={t("madeText")}
        label={t("madePassword", { name: made.name })}
        secret={made.password}
        onClose={() => open(made.name)}
      />
    );
  }
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
        <Field label={t("kind")} group error={errors.kind?.message}>
          <Controller
            control={form.control}
            name="kind"
            render={({ field }) => (
              <RadioGroup
                cards
                label={t("kind")}
                value={field.value}
                onChange={field.onChange}
                options={[
                  { value: "user", label: t("user"), help: t("userHelp") },
                  { value: "service", label: t("service"), help: t("serviceHelp") },
                ]}
              />
            )}
          />
        </Field>
        <Field label={t("name")} help={t("nameHelp")} error={errors.name?.message} required>
          <Input autoCapitalize="none" {...form.register("name")} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label={t("fullName")} error={errors.title?.message}>
            <Input maxLength={200} {...form.register("title")} />
          </Field>
          <Field label={t("email")} error={errors.email?.message}>
            <Input type="email" maxLength={254} {...form.register("email")} />
          </Field>
        </div>
        {!service && (
          <Field label={t("password")} help={t("passwordHelp")} error={errors.password?.message}>
            <Input type="password" autoComplete="new-password" {...form.register("password")} />
          </Field>
        )}
        <Field label={t("grants")} group>
          <GrantDraft grants={grants} onChange={setGrants} />
        </Field>
        {problem && <ErrorState problem={problem} compact />}
      </form>
    </Dialog>
  );
}
