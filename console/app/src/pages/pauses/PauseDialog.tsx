import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { getTagged, put, type Tagged } from "@/api/client";
import type { Problem } from "@/api/problem";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { useSpaceFor } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { isConflict } from "@/ui/form/conflict";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { zone as ownZone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { SkeletonText } from "@/ui/Skeleton";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { HeldJobs } from "./HeldJobs";
import { bodyOf, type Given, newValues, type Pause, type PauseValues, placesOf, valuesOf } from "./pause";
import { soft, WhatFields } from "./WhatFields";
import { WhenFields } from "./WhenFields";
import { pauseWords } from "./words";

/** Makes a pause, or changes one. */
export function PauseDialog({
  edit,
  given,
  taken,
  onClose,
}: {
  /** The key of the pause that is changed. */
  edit?: string;
  given: Given;
  /** The keys that are in use. */
  taken: readonly string[];
  onClose: () => void;
}) {
  const t = useWords(pauseWords);
  const space = useSpaceFor("edit");
  const [first] = useState(() => newValues(given, space, ownZone, Date.now()));
  const read = useQuery<Tagged<Pause>, Problem>({
    queryKey: ["/pauses/{key}", { key: edit }, "tagged"],
    queryFn: ({ signal }) => getTagged("/pauses/{key}", { path: { key: edit ?? "" }, signal }),
    enabled: Boolean(edit),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (edit && !read.data) {
    return (
      <Dialog open onClose={onClose} title={t("editTitle", { key: edit })}>
        {read.error ? <ErrorState compact problem={read.error} /> : <SkeletonText lines={6} />}
      </Dialog>
    );
  }
  return (
    <PauseForm
      first={read.data ? valuesOf(read.data.data, ownZone) : first}
      etag={read.data?.etag}
      taken={taken}
      onClose={onClose}
    />
  );
}

function PauseForm({
  first,
  etag,
  taken,
  onClose,
}: {
  first: PauseValues;
  /** The tag of the pause that is changed; undefined for a new one. */
  etag?: string;
  taken: readonly string[];
  onClose: () => void;
}) {
  const t = useWords(pauseWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { whyNot } = useSession();
  const edit = useEdit<PauseValues>(() => first, etag ?? "");
  const { values, set } = edit;
  const needed = useNeeded();
  const namespaces = useGet("/namespaces", {}, { staleTime: 60_000 });
  const isNew = etag === undefined;
  const body = bodyOf(values);
  const key = values.key.trim();
  const refused = placesOf(body)
    .map(([namespace, group]) => whyNot("edit", namespace, group))
    .find(Boolean);
  const window = values.when === "window";
  const form = useForm({
    faults: {
      groups: values.what === "groups" ? needed(values.groups) : undefined,
      "window.cron": window ? needed(values.cron) : undefined,
      "window.for": window ? needed(values.length) : undefined,
      key: needed(key) ?? (isNew && taken.includes(key) ? t("taken") : undefined),
    },
  });
  const save = () =>
    form.send(async () => {
      await put("/pauses/{key}", { path: { key }, body, ifMatch: edit.version || undefined });
      toast.done(t("didSave", { key }));
      void queries.invalidateQueries({ queryKey: ["/jobs"] });
      void queries.invalidateQueries({ queryKey: ["/audit"] });
      await queries.invalidateQueries({ queryKey: ["/pauses"] });
      onClose();
    });
  const adopt = async () => {
    const now = await getTagged("/pauses/{key}", { path: { key } });
    edit.adopt(valuesOf(now.data, ownZone), now.etag);
    form.clear();
  };
  const lost = !isNew && form.problem && isConflict(form.problem) && (
    <ConflictNotice problem={form.problem} load={adopt} />
  );
  const emptyGroups = values.what === "groups" && values.groups.length === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? t("newPause") : t("editTitle", { key })}
      text={t("text")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form} reason={refused}>
            {isNew ? t("pause") : shared("save")}
          </Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => !refused && void save()} instead={lost} className="flex flex-col gap-4">
        <WhatFields values={values} set={set} namespaces={namespaces.data?.namespaces ?? []} />
        {!emptyGroups && <HeldJobs of={body} />}
        <Field name="window" label={t("when")} group>
          <RadioGroup
            cards
            label={t("when")}
            value={values.when}
            onChange={(when) => set({ when })}
            options={[
              ...(isNew ? [{ value: "now" as const, label: t("now"), help: soft(t("nowHelp")) }] : []),
              { value: "span", label: t("span"), help: soft(t("spanHelp")) },
              { value: "window", label: t("window"), help: soft(t("windowHelp")) },
            ]}
          />
        </Field>
        <WhenFields values={values} set={set} />
        <Field name="reason" label={shared("reason")} help={t("reasonHelp")}>
          <Input value={values.reason} maxLength={1000} onChange={(event) => set({ reason: event.target.value })} />
        </Field>
        <Field name="key" label={shared("key")} required help={isNew ? t("keyHelp") : undefined}>
          <Input mono value={values.key} disabled={!isNew} onChange={(event) => set({ key: event.target.value })} />
        </Field>
        {!form.problem && <MergedNotice both={edit.both} />}
      </Form>
    </Dialog>
  );
}
