import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { InstantInput } from "@/pages/jobs/dialogs/InstantInput";
import type { Grant } from "@/session/rights";
import { Button } from "@/ui/Button";
import { CodeBlock } from "@/ui/Code";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
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
  const id = useId();
  const [label, setLabel] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90");
  const [custom, setCustom] = useState("");
  const [scope, setScope] = useState<"all" | "some">("all");
  const [limits, setLimits] = useState<Grant[]>([]);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<Schema<"MadeAPIToken"> | null>(null);
  const at = (field: string) => problem?.fields.find((one) => one.field.endsWith(field))?.detail;
  const known = ["label", "expires_at", "limits"].some((field) => at(field));
  const submit = async () => {
    setTried(true);
    setProblem(null);
    const expires = expiryAt(expiry, custom, Date.now());
    if (expires === null || (scope === "some" && limits.length === 0)) return;
    setBusy(true);
    const body = {
      ...(label.trim() ? { label: label.trim() } : {}),
      ...(expires ? { expires_at: expires } : {}),
      ...(scope === "some" ? { limits } : {}),
    };
    try {
      setMade(own ? await post("/tokens", { body }) : await post("/users/{name}/tokens", { path: { name }, body }));
      await tokensChanged(queries);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
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
  const late = tried && expiryAt(expiry, custom, Date.now()) === null;
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
          <Button type="submit" form={id} look="main" busy={busy}>
            {shared("create")}
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
        <Field label={t("label")} help={t("labelHelp")} error={at("label")}>
          <Input maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label={t("expires")} error={at("expires_at")}>
            <Select
              value={expiry}
              onChange={setExpiry}
              options={expiries.map(([value, words]) => ({ value, label: words }))}
            />
          </Field>
          {expiry === "custom" && (
            <Field label={t("custom")} error={late ? t("customMissing") : undefined} required>
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
          <GrantDraft
            grants={limits}
            onChange={setLimits}
            error={at("limits") ?? (tried && limits.length === 0 ? t("scopeMissing") : undefined)}
          />
        )}
        {problem && !known && <ErrorState problem={problem} compact />}
      </form>
    </Dialog>
  );
}
