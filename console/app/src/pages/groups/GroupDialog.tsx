import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { getTagged, patch, post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Adopted, LostRace } from "@/ui/LostRace";
import { SkeletonText } from "@/ui/Skeleton";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { groupWords } from "./words";

type Figures = Schema<"GroupFigures">;

/** The part of a problem that belongs to a field. */
export const faultOf = (problem: Problem | null, field: string) =>
  problem?.fields.find((one) => one.field.replace(/^body\./, "") === field)?.detail;

/** Whether a problem belongs to none of the fields that a form has. */
export const homeless = (problem: Problem | null, fields: readonly string[]) =>
  problem !== null && !fields.some((field) => faultOf(problem, field));

/** Makes a group. */
export function GroupDialog({ namespace, onClose }: { namespace: string; onClose: (made?: Figures) => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [key, setKey] = useState("");
  const [title, setTitle] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const made = await post("/groups", { query: { namespace }, body: { key, title: title || undefined } });
      void queries.invalidateQueries({ queryKey: ["/groups"] });
      toast.done(t("created", { key }));
      onClose(made);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      size="small"
      onClose={() => onClose()}
      title={t("newGroup")}
      footer={
        <>
          <Button onClick={() => onClose()}>{shared("cancel")}</Button>
          <Button look="main" busy={busy} disabled={key === ""} onClick={() => void save()}>
            {shared("create")}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (key && !busy) void save();
        }}
      >
        <p className="text-soft">{t("madeIn", { namespace })}</p>
        <Field label={t("key")} help={t("keyHelp")} required error={faultOf(problem, "key")}>
          <Input mono value={key} maxLength={64} onChange={(event) => setKey(event.target.value.trim())} />
        </Field>
        <Field label={shared("title")} help={t("titleHelp")} error={faultOf(problem, "title")}>
          <Input value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        {homeless(problem, ["key", "title"]) && <ErrorState problem={problem} compact />}
        <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}

const groupValues = (group: Pick<Figures, "title" | "own_token_only" | "namespace">) => ({
  title: group.title ?? "",
  namespace: group.namespace,
  own: group.own_token_only ?? false,
});

/** Gives a group another title or place, and says which tokens it takes. */
export function EditGroupDialog({ group, onClose }: { group: Figures; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const edit = useEdit(() => groupValues(group), "");
  const { values, first, set } = edit;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const at = { path: { group: group.key } };
  const read = useQuery({
    queryKey: ["group-tagged", group.key],
    queryFn: () => getTagged("/groups/{group}", at),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY, // what is typed stays
    refetchOnWindowFocus: false,
  });
  // What the list had is adopted by what was read now, with its tag.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each read.
  useEffect(() => {
    if (read.data) edit.adopt(groupValues(read.data.data), read.data.etag);
  }, [read.data]);
  const [raced, setRaced] = useState(false);
  const adopt = async () => {
    const now = await getTagged("/groups/{group}", at);
    edit.adopt(groupValues(now.data), now.etag);
    setProblem(null);
    setRaced(true);
  };
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await patch("/groups/{group}", {
        path: { group: group.key },
        ifMatch: edit.version,
        body: {
          title: values.title,
          ...(values.own === first.own ? {} : { own_token_only: values.own }),
          ...(values.namespace === first.namespace ? {} : { namespace: values.namespace }),
        },
      });
      for (const path of ["/groups", "/groups/{group}", "/groups/{group}/tokens"])
        void queries.invalidateQueries({ queryKey: [path] });
      toast.done(t("saved"));
      onClose();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("editGroup")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button look="main" busy={busy} disabled={!read.data} onClick={() => void save()}>
            {shared("save")}
          </Button>
        </>
      }
    >
      {read.error && <ErrorState problem={read.error} compact onRetry={() => void read.refetch()} />}
      {!read.data && !read.error && <SkeletonText lines={4} />}
      {read.data && (
        <div className="flex flex-col gap-3">
          <Field label={shared("title")} help={t("titleHelp")} error={faultOf(problem, "title")}>
            <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
          </Field>
          <Field label={shared("namespace")} help={t("moveHelp")} required error={faultOf(problem, "namespace")}>
            <Input
              mono
              value={values.namespace}
              maxLength={64}
              onChange={(event) => set({ namespace: event.target.value.trim() })}
            />
          </Field>
          <Switch checked={values.own} onChange={(own) => set({ own })} help={t("ownTokenOnlyHelp")}>
            {t("ownTokenOnly")}
          </Switch>
          {raced && !problem && (
            <Adopted
              both={edit.both}
              names={{ title: shared("title"), namespace: shared("namespace"), own: t("ownTokenOnly") }}
            />
          )}
          {problem?.status === 412 ? (
            <LostRace problem={problem} load={adopt} />
          ) : (
            homeless(problem, ["title", "namespace"]) && <ErrorState problem={problem} compact />
          )}
        </div>
      )}
    </Dialog>
  );
}
