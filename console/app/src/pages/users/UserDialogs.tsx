import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { getTagged, patch, put, remove } from "@/api/client";
import { useGet } from "@/api/query";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Confirm } from "@/ui/Confirm";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { madePassword, type User } from "./people";
import { ShownOnce } from "./ShownOnce";
import { userWords } from "./words";

const userValues = (user: Pick<User, "title" | "email">) => ({ title: user.title ?? "", email: user.email ?? "" });

/** Changes display name and e-mail, unless the user was changed since it was read. */
export function EditUser({ user, etag, onClose }: { user: User; etag: string; onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const edit = useEdit(() => userValues(user), etag);
  const { title, email } = edit.values;
  const form = useForm();
  const adopt = async () => {
    const now = await getTagged("/users/{name}", { path: { name: user.name } });
    edit.adopt(userValues(now.data), now.etag);
    form.clear();
    void queries.invalidateQueries({ queryKey: ["/users/{name}"] });
  };
  const save = () =>
    form.send(async () => {
      await patch("/users/{name}", {
        path: { name: user.name },
        body: { title: title.trim() || null, email: email.trim() || null },
        ifMatch: edit.version,
      });
      void queries.invalidateQueries({ queryKey: ["/users"] });
      await queries.invalidateQueries({ queryKey: ["/users/{name}"] });
      toast.done(shared("saved"));
      onClose();
    });
  const raced = form.problem?.status === 412 && <ConflictNotice problem={form.problem} load={adopt} />;
  return (
    <Dialog
      open
      onClose={onClose}
      size="small"
      title={t("edit", { name: user.name })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("save")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} instead={raced} className="flex flex-col gap-3">
        <Field name="title" label={t("fullName")}>
          <Input maxLength={200} value={title} onChange={(event) => edit.set({ title: event.target.value })} />
        </Field>
        <Field name="email" label={t("email")}>
          <Input
            type="email"
            maxLength={254}
            value={email}
            onChange={(event) => edit.set({ email: event.target.value })}
          />
        </Field>
        {!form.problem && <MergedNotice both={edit.both} names={{ title: t("fullName"), email: t("email") }} />}
      </Form>
    </Dialog>
  );
}

/** Sets the password of a person, and shows it this once to be handed over. */
export function SetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const needed = useNeeded();
  const [password, setPassword] = useState(() => madePassword());
  const [final, setFinal] = useState(false);
  const [done, setDone] = useState(false);
  const form = useForm({ faults: { password: password === "" ? needed(password) : undefined } });
  const save = () =>
    form.send(async () => {
      await put("/users/{name}/password", {
        path: { name: user.name },
        body: { password, ...(final ? { final } : {}) },
      });
      for (const path of ["/users", "/users/{name}", "/users/{name}/sessions"]) {
        void queries.invalidateQueries({ queryKey: [path] });
      }
      setDone(true);
    });
  if (done) {
    return (
      <ShownOnce
        title={t("madePassword", { name: user.name })}
        text={t(final ? "madeFinal" : "madeText")}
        label={t("madePassword", { name: user.name })}
        secret={password}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      size="small"
      title={t("resetTitle", { name: user.name })}
      text={t("resetText", { name: user.name })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{t("reset")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} className="flex flex-col gap-3">
        <Field name="password" label={t("password")} required>
          <Input mono autoComplete="off" value={password} onChange={(event) => setPassword(event.target.value)} />
        </Field>
        <Button size="small" className="self-start" icon={RefreshCw} onClick={() => setPassword(madePassword())}>
          {t("generate")}
        </Button>
        <Checkbox checked={final} onChange={setFinal}>
          {t("final")}
        </Checkbox>
      </Form>
    </Dialog>
  );
}

/** Deletes a user, with what goes along. */
export function DeleteUser({ user, onClose, onGone }: { user: User; onClose: () => void; onGone: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const path = { path: { name: user.name } };
  const tokens = useGet("/users/{name}/tokens", path).data?.tokens.length ?? 0;
  const sessions = useGet("/users/{name}/sessions", path).data?.sessions.length ?? 0;
  const grants = user.grants.length + (user.provided?.length ?? 0);
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("delete", { name: user.name })}
      text={t("deleteText")}
      action={shared("delete")}
      danger
      typed={user.name}
      onConfirm={async () => {
        await remove("/users/{name}", path);
        toast.done(t("deleted", { name: user.name }));
        onGone();
      }}
    >
      <ul className="list-disc pl-5">
        <li>{t("deleteGrants", { count: grants })}</li>
        <li>{t("deleteTokens", { count: tokens })}</li>
        {user.kind === "user" && <li>{t("deleteSessions", { count: sessions })}</li>}
      </ul>
    </Confirm>
  );
}
