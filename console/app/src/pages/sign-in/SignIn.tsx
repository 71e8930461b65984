import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { post, urlOf } from "@/api/client";
import { Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
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
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const names = useRef<HTMLInputElement>(null);
  const passwords = useRef<HTMLInputElement>(null);
  const lacks = (text: string) => (asked && text === "" ? t("missing") : undefined);
  // Two fields that must not be empty need no schema: this is the first that people load.
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    setProblem(null);
    if (user.trim() === "") return names.current?.focus();
    if (password === "") return passwords.current?.focus();
    setBusy(true);
    try {
      const who = await post("/session", { body: { user: user.trim(), password } });
      queries.clear();
      if (who.must_change) onMustChange();
      else onDone();
    } catch (error) {
      const refused = toProblem(error);
      setProblem(refused.status === 401 ? new Problem(401, { code: "unauthorized", detail: t("wrongHelp") }) : refused);
      passwords.current?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={t("user")} error={lacks(user.trim())}>
        <Input
          ref={names}
          name="user"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          value={user}
          onChange={(event) => setUser(event.target.value)}
        />
      </Field>
      <Field label={t("password")} error={lacks(password)}>
        <Input
          ref={passwords}
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {problem && <ErrorState problem={problem} title={problem.status === 401 ? t("wrong") : undefined} compact />}
      <Button type="submit" look="main" size="large" busy={busy}>
        {t("submit")}
      </Button>
      <p className="text-faint text-xs">{t("first")}</p>
    </form>
  );
}
