import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "@/api/client";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Attention, Form } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { signInWords } from "./words";

const leastPassword = 10;

/** Gives the user who is signed in another password. `own` is for a user who may, and does not have to. */
export function ChangePassword({ own, onDone }: { own?: boolean; onDone: () => void }) {
  const t = useWords(signInWords);
  const queries = useQueryClient();
  const needed = useNeeded();
  const [old, setOld] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const form = useForm({
    faults: {
      old_password: old === "" ? needed(old) : undefined,
      new_password: fresh === "" ? needed(fresh) : fresh.length < leastPassword ? t("tooShort") : undefined,
      again: again === "" ? needed(again) : again === fresh ? undefined : t("differs"),
    },
  });
  const submit = async () => {
    const done = await form.send(() => post("/session/password", { body: { old_password: old, new_password: fresh } }));
    if (!done) return;
    // The account page stays: what it shows must not go before the answer to another read.
    if (own) await queries.invalidateQueries();
    else queries.clear();
    onDone();
  };
  return (
    <Form form={form} onSubmit={() => void submit()} className="mt-3 flex flex-col gap-3">
      {!own && <p className="text-soft">{t("changeText")}</p>}
      <Field name="old_password" label={t("old")}>
        <Input
          type="password"
          autoComplete="current-password"
          autoFocus
          value={old}
          onChange={(event) => setOld(event.target.value)}
        />
      </Field>
      <Field name="new_password" label={t("fresh")} help={t("freshHelp")}>
        <Input
          type="password"
          autoComplete="new-password"
          value={fresh}
          onChange={(event) => setFresh(event.target.value)}
        />
      </Field>
      <Field name="again" label={t("again")}>
        <Input
          type="password"
          autoComplete="new-password"
          value={again}
          onChange={(event) => setAgain(event.target.value)}
        />
      </Field>
      <Attention form={form} className="empty:hidden" />
      <Button type="submit" look="main" size="large" busy={form.busy}>
        {t("change")}
      </Button>
    </Form>
  );
}
