import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { FormProvider, useForm as useValues, useWatch } from "react-hook-form";
import { getTagged, patch, post, type Tagged } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Job } from "@/api/types";
import { Form } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { zone as viewerZone } from "@/ui/format";
import { useToast } from "@/ui/Toast";
import { useUnsaved } from "@/ui/unsaved";
import { useWords } from "@/words";
import { useJobsChanged } from "../actions";
import { bodyOf } from "./body";
import { ConflictDialog } from "./ConflictDialog";
import { FormFoot } from "./FormFoot";
import { faultsOf } from "./faults";
import { LeaveDialog } from "./LeaveDialog";
import { type JsonObject, patchOf, same } from "./mergepatch";
import { AccessSection, AfterSection, AlarmsSection, BasicsSection } from "./OtherSections";
import { ReliabilitySection } from "./ReliabilitySection";
import { isScript } from "./runs";
import { type SectionIds, SectionNav, useSectionIds } from "./SectionNav";
import { useDryRun } from "./useDryRun";
import { emptyJob, type JobValues, valuesOf } from "./values";
import { WhatSection } from "./WhatSection";
import { WhenSection } from "./WhenSection";
import { WhereSection } from "./WhereSection";
import { formWords } from "./words";

const json = (values: JobValues) => bodyOf(values) as unknown as JsonObject;

/** Names of the API that the form has under others. */
const namesOf = (values: JobValues) => ({
  handler: isScript(values.runs) ? "handler.source" : "handler.name",
  "If-Match": "key",
});

type Clash = { theirs: Tagged<Job>; values: JobValues };

/** The form of a job: of a new one, or of one that was loaded with its tag. */
export function JobForm({
  namespace,
  loaded,
  group,
  template,
  onReload,
}: {
  namespace: string;
  loaded?: Tagged<Job>;
  group?: string;
  template?: string;
  onReload?: () => void;
}) {
  const t = useWords(formWords);
  const toast = useToast();
  const navigate = useNavigate();
  const changed = useJobsChanged();
  const initial = useMemo(() => startOf(loaded?.data, group, template), [loaded, group, template]);
  const base = useMemo(() => (loaded ? json(initial) : null), [loaded, initial]);
  const kept = useValues<JobValues>({ defaultValues: initial });
  const values = useWatch({ control: kept.control }) as JobValues;
  const [note, setNote] = useState("");
  const [clash, setClash] = useState<Clash | null>(null);
  const done = useRef(false);
  const dirty = !same(json(values), json(initial)) || (!loaded && values.enabled);
  const faults = faultsOf(values, t);
  const whole = !Object.values(faults).some(Boolean);
  const dry = useDryRun({ values, base, namespace, key: loaded?.data.key, active: dirty && whole });
  const form = useForm({ faults, advice: dry.problem, names: namesOf(values) });
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && !done.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty && !done.current,
    withResolver: true,
  });
  useUnsaved(dirty);
  const ids = useSectionIds();

  const save = async (wanted: JobValues, etag = loaded?.etag) => {
    try {
      const body = bodyOf(wanted);
      const query = { namespace, note: note.trim() || undefined };
      const saved =
        loaded && base
          ? await patch("/jobs/{key}", {
              path: { key: loaded.data.key },
              query,
              ifMatch: etag,
              body: patchOf(base, json(wanted)) as never,
            })
          : await post("/jobs", { query, body: { ...body, namespace, enabled: wanted.enabled || undefined } });
      done.current = true;
      toast.done(t(loaded ? "saved" : "created", { key: saved.key }));
      await changed();
      void navigate({ to: "/jobs/$id", params: { id: saved.key } } as never);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412 || !loaded) throw error;
      const path = { key: loaded.data.key };
      setClash({ values: wanted, theirs: await getTagged("/jobs/{key}", { path, query: { namespace } }) });
    }
  };
  const submit = () => {
    if (loaded && !dirty) return;
    void form.send(() => save(values));
  };

  return (
    <FormProvider {...kept}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[10rem_minmax(0,1fr)]">
        <SectionNav ids={ids} />
        <Form
          form={form}
          onSubmit={submit}
          className="flex min-w-0 max-w-4xl flex-col gap-4 [&_button]:scroll-mb-24 [&_input]:scroll-mb-24 [&_textarea]:scroll-mb-24"
        >
          <Sections ids={ids} namespace={namespace} isNew={!loaded} onSave={submit} />
          <FormFoot
            form={form}
            isNew={!loaded}
            dirty={dirty}
            dry={dry}
            note={note}
            onNote={setNote}
            onCancel={() =>
              void navigate({ to: loaded ? "/jobs/$id" : "/jobs", params: { id: loaded?.data.key } } as never)
            }
          />
        </Form>
      </div>
      {blocker.status === "blocked" && <LeaveDialog onStay={blocker.reset} onLeave={blocker.proceed} />}
      {clash && base && (
        <ConflictDialog
          base={base}
          mine={json(clash.values)}
          theirs={json(valuesOf(clash.theirs.data))}
          busy={form.busy}
          onClose={() => setClash(null)}
          onTake={() => {
            setClash(null);
            onReload?.();
          }}
          onKeep={() => {
            setClash(null);
            void form.send(() => save(clash.values, clash.theirs.etag));
          }}
        />
      )}
    </FormProvider>
  );
}

function Sections({
  ids,
  namespace,
  isNew,
  onSave,
}: {
  ids: SectionIds;
  namespace: string;
  isNew: boolean;
  onSave: () => void;
}) {
  return (
    <>
      <BasicsSection id={ids.basics} namespace={namespace} fixedKey={!isNew} />
      <WhenSection id={ids.when} namespace={namespace} />
      <WhatSection id={ids.what} routing={ids.where} namespace={namespace} onSave={onSave} />
      <WhereSection id={ids.where} />
      <ReliabilitySection id={ids.reliability} />
      <AfterSection id={ids.after} namespace={namespace} />
      <AlarmsSection id={ids.alarms} />
      <AccessSection id={ids.access} namespace={namespace} isNew={isNew} />
    </>
  );
}

function startOf(job: Job | undefined, group?: string, template?: string): JobValues {
  if (job) return valuesOf(job);
  const values = emptyJob(group, viewerZone);
  return template ? { ...values, runs: "template", template } : values;
}
