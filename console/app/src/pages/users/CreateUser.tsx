import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "@/api/client";
import type { Schema } from "@/api/types";
import type { Grant } from "@/session/rights";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
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
  const needed = useNeeded();
  const [kind, setKind] = useState<"user" | "service">("user");
  const [name, setName] = useState("");
  const [title, setTitle] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [grants, setGrants] = useState<Grant[]>([]);
  const [made, setMade] = useState<Schema<"MadeUser"> | null>(null);
  const form = useForm({ faults: { name: needed(name) } });
  const open = (known: string) => {
    onClose();
    void navigate({ to: "/users/$name", params: { name: known } });
  };
  const create = async () => {
    const user = await post("/users", {
      body: {
        kind,
        name: name.trim(),
        ...(title.trim() ? { title: title.trim() } : {}),
        ...(email.trim() ? { email: email.trim() } : {}),
        ...(password && kind === "user" ? { password } : {}),
        ...(grants.length ? { grants } : {}),
      },
    });
    void queries.invalidateQueries({ queryKey: ["/users"] });
    void queries.invalidateQueries({ queryKey: ["/grants"] });
    if (user.password) return setMade(user);
    toast.done(t("created", { name: user.name }));
    open(user.name);
  };
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
          <Submit form={form}>{shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void form.send(create)} className="flex flex-col gap-3">
        <Field name="kind" label={t("kind")} group>
          <RadioGroup
            cards
            label={t("kind")}
            value={kind}
            onChange={setKind}
            options={[
              { value: "user", label: t("user"), help: t("userHelp") },
              { value: "service", label: t("service"), help: t("serviceHelp") },
            ]}
          />
        </Field>
        <Field name="name" label={t("name")} help={t("nameHelp")} required>
          <Input autoCapitalize="none" value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field name="title" label={t("fullName")}>
            <Input maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
          </Field>
          <Field name="email" label={t("email")}>
            <Input type="email" maxLength={254} value={email} onChange={(event) => setEmail(event.target.value)} />
          </Field>
        </div>
        {kind === "user" && (
          <Field name="password" label={t("password")} help={t("passwordHelp")}>
            <Input
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
        )}
        <Field name="grants" label={t("grants")} group>
          <GrantDraft grants={grants} onChange={setGrants} />
        </Field>
      </Form>
    </Dialog>
  );
}
