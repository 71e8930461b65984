import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "@/api/client";
import type { Schema } from "@/api/types";
import { InstantInput } from "@/pages/jobs/dialogs/InstantInput";
import type { Grant } from "@/session/rights";
import { Button } from "@/ui/Button";
import { CodeBlock } from "@/ui/Code";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { GrantDraft } from "./GrantFields";
import { type Expiry, expiryAt } from "./people";
import { ShownOnce } from "./ShownOnce";
import { tokensChanged } from "./Tokens";
import { userWords } from "./words";

/** Makes a token, one's own or that of another user, and shows its secret this once. */
export function NewToken({ name, own, onClose }: { name: string; own?: boolean; onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const [label, setLabel] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90");
  const [custom, setCustom] = useState("");
  const [scope, setScope] = useState<"all" | "some">("all");
  const [limits, setLimits] = useState<Grant[]>([]);
  const [made, setMade] = useState<Schema<"MadeAPIToken"> | null>(null);
  const expires = expiryAt(expiry, custom, Date.now());
  const form = useForm({
    faults: {
      expires_at: expires === null ? t("customMissing") : undefined,
      limits: scope === "some" && limits.length === 0 ? t("scopeMissing") : undefined,
    },
  });
  const submit = () =>
    form.send(async () => {
      const body = {
        ...(label.trim() ? { label: label.trim() } : {}),
        ...(expires ? { expires_at: expires } : {}),
        ...(scope === "some" ? { limits } : {}),
      };
      setMade(own ? await post("/tokens", { body }) : await post("/users/{name}/tokens", { path: { name }, body }));
      await tokensChanged(queries);
    });
  if (made) {
    return (
      <ShownOnce
        title={t("tokenMade", { name })}
        text={t("tokenMadeText")}
        label={t("token")}
        secret={made.token}
        onClose={onClose}
      >
        <p className="font-medium text-sm">{t("tokenUse")}</p>
        <CodeBlock>{`curl -H "Authorization: Bearer $ORTH_TOKEN" ${location.origin}/api/v1/me\nORTH_TOKEN=… orth whoami`}</CodeBlock>
      </ShownOnce>
    );
  }
  const expiries: [Expiry, string][] = [
    ["30", t("in30")],
    ["90", t("in90")],
    ["365", t("in365")],
    ["custom", t("custom")],
    ["never", t("never")],
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("newTokenFor", { name })}
      text={t("tokensText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void submit()} className="flex flex-col gap-3">
        <Field name="label" label={t("label")} help={t("labelHelp")}>
          <Input maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field name={expiry === "custom" ? undefined : "expires_at"} label={t("expires")}>
            <Select
              value={expiry}
              onChange={setExpiry}
              options={expiries.map(([value, words]) => ({ value, label: words }))}
            />
          </Field>
          {expiry === "custom" && (
            <Field name="expires_at" label={t("custom")} required>
              <InstantInput value={custom} onChange={setCustom} />
            </Field>
          )}
        </div>
        <Field label={t("scope")} group>
          <RadioGroup
            cards
            label={t("scope")}
            value={scope}
            onChange={setScope}
            options={[
              { value: "all", label: t("scopeAll"), help: t("scopeAllHelp") },
              { value: "some", label: t("scopeSome"), help: t("scopeSomeHelp") },
            ]}
          />
        </Field>
        {scope === "some" && (
          <Field name="limits" group label={<span className="sr-only">{t("scopeSome")}</span>}>
            <GrantDraft grants={limits} onChange={setLimits} />
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
