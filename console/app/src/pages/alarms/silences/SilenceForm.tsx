import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "@/api/client";
import { InstantInput } from "@/pages/jobs/dialogs/InstantInput";
import { Button } from "@/ui/Button";
import { Drawer } from "@/ui/Drawer";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { zone as ownZone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NamespaceField } from "../NamespaceField";
import { Part } from "../Part";
import { kinds } from "../rules/rule";
import { ScopeFields } from "../ScopeFields";
import type { Creation } from "../useCreation";
import { useDefinitionOptions } from "../useDefinitions";
import { WindowFields } from "../WindowFields";
import { alarmWords, kindWords } from "../words";
import { bodyOf, hoursFrom, type Silence, type SilenceKind, type SilenceValues, valuesOf } from "./silence";
import { silenceWords } from "./words";

/** Begins a silence, or a maintenance window that comes again. */
export function SilenceForm({
  like,
  again,
  namespace,
  places,
  making,
  onClose,
}: {
  /** A new one is made like this one: silences are not changed. */
  like?: Silence;
  again: boolean;
  namespace: string;
  /** Whether the page shows all namespaces: then the form shows its namespace. */
  places: boolean;
  /** Where a new one can be made. */
  making: Creation;
  onClose: () => void;
}) {
  const t = useWords(silenceWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const [values, setValues] = useState<SilenceValues>(() => valuesOf(like, again, ownZone, Date.now()));
  const needed = useNeeded();
  const form = useForm({
    faults: {
      comment: needed(values.comment),
      cron: values.again ? needed(values.cron) : undefined,
      length: values.again ? needed(values.length) : undefined,
      until: values.again ? undefined : needed(values.until),
    },
  });
  const set = (part: Partial<SilenceValues>) => setValues((before) => ({ ...before, ...part }));
  const save = () =>
    form.send(async () => {
      await post("/alarm/silences", { query: { namespace }, body: bodyOf(values) });
      toast.done(t("didCreate"));
      await queries.invalidateQueries({ queryKey: ["/alarm/silences"] });
      onClose();
    });
  return (
    <Drawer
      open
      wide
      onClose={onClose}
      title={t(values.again ? "newWindow" : "newSilence")}
      text={t("text")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("create")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} className="flex flex-col gap-6">
        {places && <NamespaceField namespace={namespace} making={making} />}
        <Field name="comment" label={t("comment")} required>
          <Input value={values.comment} maxLength={200} onChange={(event) => set({ comment: event.target.value })} />
        </Field>
        <Part title={t("when")}>
          {values.again && (
            <WindowFields
              value={values}
              onChange={set}
              namespace={namespace}
              names={{ cron: "cron", zone: "zone", length: "length" }}
            />
          )}
          <Bounds {...{ values, set }} />
        </Part>
        <What {...{ values, set, namespace }} />
      </Form>
    </Drawer>
  );
}

type PartProps = { values: SilenceValues; set: (part: Partial<SilenceValues>) => void };

const hours = [1, 2, 4, 8, 24];

function Bounds({ values, set }: PartProps) {
  const t = useWords(silenceWords);
  const start = () => (values.from ? Date.parse(values.from) : Date.now());
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field name="from" label={t("from")} help={t("fromHelp")}>
        <InstantInput value={values.from} onChange={(from) => set({ from })} />
      </Field>
      <Field
        name="until"
        label={t("until")}
        required={!values.again}
        help={values.again ? t("untilWindowHelp") : undefined}
      >
        <InstantInput value={values.until} onChange={(until) => set({ until })} />
      </Field>
      {!values.again && (
        <div className="flex flex-wrap items-center gap-1 sm:col-span-2">
          <span className="mr-1 text-soft">{t("for")}</span>
          {hours.map((count) => (
            <Button key={count} size="small" onClick={() => set({ until: hoursFrom(start(), count) })}>
              {t("hours", { count })}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

function What({ values, set, namespace }: PartProps & { namespace: string }) {
  const t = useWords(silenceWords);
  const a = useWords(alarmWords);
  const kind = useWords(kindWords);
  const { rules } = useDefinitionOptions(namespace);
  return (
    <Part title={t("what")}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field name="rules" label={a("rules")} help={t("rulesHelp")}>
          <MultiSelect value={values.rules} onChange={(chosen) => set({ rules: chosen })} options={rules} />
        </Field>
        <Field name="kinds" label={a("kind")} help={t("kindsHelp")}>
          <MultiSelect
            value={values.kinds}
            onChange={(chosen) => set({ kinds: chosen as SilenceKind[] })}
            options={kinds.map((value) => ({ value, label: kind(value) }))}
          />
        </Field>
      </div>
      <ScopeFields value={values} onChange={set} namespace={namespace} />
    </Part>
  );
}
