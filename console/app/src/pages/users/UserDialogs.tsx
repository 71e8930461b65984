import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useId, useState } from "react";
import { getTagged, patch, put, remove } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Confirm } from "@/ui/Confirm";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Adopted, LostRace } from "@/ui/LostRace";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { madePassword, type User } from "./people";
import { ShownOnce } from "./ShownOnce";
import { userWords } from "./words";

const userValues = (user: Pick<User, "title" | "email">) => ({ title: user.title ?? "", email: user.email ?? "" });

/** Changes what people call a user, and the address; only when nobody else has changed the user meanwhile. */
export function EditUser({ user, etag, onClose }: { user: User; etag: string; onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const id = useId();
  const edit = useEdit(() => userValues(user), etag);
  const { title, email } = edit.values;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const at = (field: string) => problem?.fields.find((one) => one.field === field)?.detail;
  const adopt = async () => {
    const now = await getTagged("/users/{name}", { path: { name: user.name } });
    edit.adopt(userValues(now.data), now.etag);
    setProblem(null);
    void queries.invalidateQueries({ queryKey: ["/users/{name}"] });
  };
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await patch("/users/{name}", {
        path: { name: user.name },
        body: { title: title.trim() || null, email: email.trim() || null },
        ifMatch: edit.version,
      });
      void queries.invalidateQueries({ queryKey: ["/users"] });
      await queries.invalidateQueries({ queryKey: ["/users/{name}"] });
      toast.done(shared("saved"));
      onClose();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const raced = problem?.status === 412;
  return (
    <Dialog
      open
      onClose={onClose}
      size="small"
      title={t("edit", { name: user.name })}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button type="submit" form={id} look="main" busy={busy}>
            {shared("save")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t("fullName")} error={at("title")}>
          <Input maxLength={200} value={title} onChange={(event) => edit.set({ title: event.target.value })} />
        </Field>
        <Field label={t("email")} error={at("email")}>
          <Input
            type="email"
            maxLength={254}
            value={email}
            onChange={(event) => edit.set({ email: event.target.value })}
          />
        </Field>
        {!problem && <Adopted both={edit.both} names={{ title: t("fullName"), email: t("email") }} />}
        {problem && raced && <LostRace problem={problem} load={adopt} />}
        {problem && !raced && !at("title") && !at("email") && <ErrorState problem={problem} compact />}
      </form>
    </Dialog>
  );
}

/** Sets the password of a person, and shows it this once to be handed over. */
export function SetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const id = useId();
  const [password, setPassword] = useState(() => madePassword());
  const [final, setFinal] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [done, setDone] = useState(false);
  const wrong = problem?.fields.find((one) => one.field.endsWith("password"))?.detail;
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await put("/users/{name}/password", {
        path: { name: user.name },
        body: { password, ...(final ? { final } : {}) },
      });
      for (const path of ["/users", "/users/{name}", "/users/{name}/sessions"]) {
        void queries.invalidateQueries({ queryKey: [path] });
      }
      setDone(true);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
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
          <Button type="submit" form={id} look="main" busy={busy} disabled={!password}>
            {t("reset")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t("password")} error={wrong} required>
          <Input mono autoComplete="off" value={password} onChange={(event) => setPassword(event.target.value)} />
        </Field>
        <Button size="small" className="self-start" icon={RefreshCw} onClick={() => setPassword(madePassword())}>
          {t("generate")}
        </Button>
        <Checkbox checked={final} onChange={setFinal}>
          {t("final")}
        </Checkbox>
        {problem && !wrong && <ErrorState problem={problem} compact />}
      </form>
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
