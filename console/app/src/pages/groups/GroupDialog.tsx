import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { getTagged, patch, post } from "@/api/client";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { SkeletonText } from "@/ui/Skeleton";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { groupWords } from "./words";

type Figures = Schema<"GroupFigures">;

/** Makes a group. */
export function GroupDialog({ namespace, onClose }: { namespace: string; onClose: (made?: Figures) => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [key, setKey] = useState("");
  const [title, setTitle] = useState("");
  const needed = useNeeded();
  const form = useForm({ faults: { key: needed(key) } });
  const save = () =>
    form.send(async () => {
      const made = await post("/groups", { query: { namespace }, body: { key, title: title || undefined } });
      void queries.invalidateQueries({ queryKey: ["/groups"] });
      toast.done(t("created", { key }));
      onClose(made);
    });
  return (
    <Dialog
      open
      size="small"
      onClose={() => onClose()}
      title={t("newGroup")}
      footer={
        <>
          <Button onClick={() => onClose()}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} className="flex flex-col gap-3">
        <p className="text-soft">{t("madeIn", { namespace })}</p>
        <Field name="key" label={t("key")} help={t("keyHelp")} required>
          <Input mono value={key} maxLength={64} onChange={(event) => setKey(event.target.value.trim())} />
        </Field>
        <Field name="title" label={shared("title")} help={t("titleHelp")}>
          <Input value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        </Field>
      </Form>
    </Dialog>
  );
}

const groupValues = (group: Pick<Figures, "title" | "own_token_only" | "namespace">) => ({
  title: group.title ?? "",
  namespace: group.namespace,
  own: group.own_token_only ?? false,
});

/** Edits the title, namespace and token policy of a group. */
export function EditGroupDialog({ group, onClose }: { group: Figures; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const edit = useEdit(() => groupValues(group), "");
  const { values, first, set } = edit;
  const needed = useNeeded();
  const form = useForm({ faults: { namespace: needed(values.namespace) } });
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
    form.clear();
    setRaced(true);
  };
  const save = () =>
    form.send(async () => {
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
    });
  const raceLost = form.problem?.status === 412 && <ConflictNotice problem={form.problem} load={adopt} />;
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("editGroup")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form} disabled={!read.data}>
            {shared("save")}
          </Submit>
        </>
      }
    >
      {read.error && <ErrorState problem={read.error} compact onRetry={() => void read.refetch()} />}
      {!read.data && !read.error && <SkeletonText lines={4} />}
      {read.data && (
        <Form form={form} onSubmit={() => void save()} instead={raceLost} className="flex flex-col gap-3">
          <Field name="title" label={shared("title")} help={t("titleHelp")}>
            <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
          </Field>
          <Field name="namespace" label={shared("namespace")} help={t("moveHelp")} required>
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
          {raced && !form.problem && (
            <MergedNotice
              both={edit.both}
              names={{ title: shared("title"), namespace: shared("namespace"), own: t("ownTokenOnly") }}
            />
          )}
        </Form>
      )}
    </Dialog>
  );
}
