import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { post, urlOf } from "@/api/client";
import { Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { useZodForm } from "@/ui/form";
import { Input } from "@/ui/Input";
import { Skeleton } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { signInWords } from "./words";

/** The ways to sign in here: a name with a password, a provider of identities, or both. */
export function SignIn({ onDone, onMustChange }: { onDone: () => void; onMustChange: () => void }) {
  const t = useWords(signInWords);
  const ways = useGet("/session/ways");
  if (ways.error) return <ErrorState problem={ways.error} onRetry={() => void ways.refetch()} compact />;
  if (!ways.data) return <Skeleton className="mt-4 h-40" />;
  const { password, oidc } = ways.data;
  return (
    <div className="mt-3 flex flex-col gap-4">
      {oidc && (
        <Button
          look={password ? "plain" : "main"}
          size="large"
          onClick={() => location.assign(urlOf("/session/oidc/start"))}
        >
          {t("with", { provider: oidc })}
        </Button>
      )}
      {oidc && password && (
        <div className="flex items-center gap-3 text-faint text-xs" aria-hidden>
          <span className="h-px flex-1 bg-line" />
          {t("or")}
          <span className="h-px flex-1 bg-line" />
        </div>
      )}
      {password && <PasswordForm onDone={onDone} onMustChange={onMustChange} />}
      {!password && !oidc && <p className="text-soft">{t("noWay")}</p>}
    </div>
  );
}

function PasswordForm({ onDone, onMustChange }: { onDone: () => void; onMustChange: () => void }) {
  const t = useWords(signInWords);
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useZodForm(
    z.object({ user: z.string().trim().min(1, t("missing")), password: z.string().min(1, t("missing")) }),
    {
      defaultValues: { user: "", password: "" },
      mode: "onSubmit",
    },
  );
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    setProblem(null);
    try {
      const who = await post("/session", { body });
      queries.clear();
      if (who.must_change) onMustChange();
      else onDone();
    } catch (error) {
      const refused = toProblem(error);
      setProblem(refused.status === 401 ? new Problem(401, { code: "unauthorized", detail: t("wrongHelp") }) : refused);
      form.setFocus("password", { shouldSelect: true });
    }
  });
  return (
    <form className="flex flex-col gap-3" onSubmit={submit} noValidate>
      <Field label={t("user")} error={errors.user?.message}>
        <Input autoComplete="username" autoCapitalize="none" autoFocus {...form.register("user")} />
      </Field>
      <Field label={t("password")} error={errors.password?.message}>
        <Input type="password" autoComplete="current-password" {...form.register("password")} />
      </Field>
      {problem && <ErrorState problem={problem} title={problem.status === 401 ? t("wrong") : undefined} compact />}
      <Button type="submit" look="main" size="large" busy={isSubmitting}>
        {t("submit")}
      </Button>
      <p className="text-faint text-xs">{t("first")}</p>
    </form>
  );
}
