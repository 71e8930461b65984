import { useQueryClient } from "@tanstack/react-query";
import { get, patch, post } from "@/api/client";
import { type JsonObject, patchOf } from "@/pages/jobs/form/mergepatch";
import { Button } from "@/ui/Button";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Drawer } from "@/ui/Drawer";
import { Field } from "@/ui/Field";
import { isConflict } from "@/ui/form/conflict";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { MultiSelect } from "@/ui/MultiSelect";
import { Select } from "@/ui/Select";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NamespaceField } from "../NamespaceField";
import { Part } from "../Part";
import { ScopeFields } from "../ScopeFields";
import type { Creation } from "../useCreation";
import { useDefinitionOptions } from "../useDefinitions";
import { alarmWords } from "../words";
import { KindFields } from "./KindFields";
import { bodyOf, ofGroup, type Rule, type RuleValues, valuesOf } from "./rule";
import { Steps } from "./Steps";
import { sentenceOf } from "./sentence";
import { ruleWords } from "./words";

/** Makes a rule, or changes one. */
export function RuleForm({
  rule,
  asNew,
  namespace,
  places,
  making,
  readOnly,
  onClose,
}: {
  /** The rule that is changed, or that a new one is like. */
  rule?: Rule;
  asNew: boolean;
  namespace: string;
  /** Whether the page shows all namespaces: then the form shows its namespace. */
  places: boolean;
  /** Where a new one can be made. */
  making: Creation;
  readOnly: boolean;
  onClose: () => void;
}) {
  const t = useWords(ruleWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const toast = useToast();
  const queries = useQueryClient();
  const edit = useEdit<RuleValues>(
    () => valuesOf(asNew && rule ? { ...rule, key: `${rule.key}-copy` } : rule),
    rule?.version ?? 0,
  );
  const { values, first, set } = edit;
  const needed = useNeeded();
  const form = useForm({
    faults: { key: needed(values.key), kinds: needed(values.kinds), channels: needed(values.channels) },
  });
  const body = bodyOf(values);
  const save = () =>
    form.send(async () => {
      if (asNew || !rule) await post("/alarm/rules", { query: { namespace }, body });
      else {
        const { key, ...changed } = patchOf(bodyOf(first) as unknown as JsonObject, body as unknown as JsonObject);
        await patch("/alarm/rules/{key}", {
          path: { key: rule.key },
          query: { namespace },
          body: { ...changed, version: Number(edit.version) } as never,
        });
      }
      toast.done(a("didSave", { key: body.key }));
      await queries.invalidateQueries({ queryKey: ["/alarm/rules"] });
      onClose();
    });
  const adopt = async () => {
    const now = await get("/alarm/rules/{key}", { path: { key: values.key }, query: { namespace } });
    edit.adopt(valuesOf(now), now.version);
    form.clear();
    void queries.invalidateQueries({ queryKey: ["/alarm/rules"] });
  };
  const { problem } = form;
  const lost = !asNew && problem && isConflict(problem) && <ConflictNotice problem={problem} load={adopt} />;
  return (
    <Drawer
      open
      wide
      onClose={onClose}
      title={asNew ? t("newTitle") : t("editTitle", { key: values.key })}
      text={t("formText")}
      footer={
        <>
          <Button onClick={onClose}>{readOnly ? shared("close") : shared("cancel")}</Button>
          {!readOnly && <Submit form={form}>{asNew ? shared("create") : shared("save")}</Submit>}
        </>
      }
    >
      <Form form={form} onSubmit={() => !readOnly && void save()} instead={lost} className="flex flex-col gap-6">
        <fieldset disabled={readOnly} className="contents">
          {places && <NamespaceField namespace={namespace} making={asNew ? making : undefined} />}
          <p role="status" className="rounded-md border-accent border-l-2 bg-accent-tint px-3 py-2 text-ink">
            {sentenceOf(body, t, language)}
          </p>
          <Names {...{ values, set, asNew }} />
          <Part title={t("what")}>
            <KindFields values={values} set={set} />
          </Part>
          <Part title={a("scope")}>
            <ScopeFields
              value={values}
              onChange={set}
              namespace={namespace}
              groupsOnly={values.kinds.length > 0 && values.kinds.every(ofGroup)}
            />
          </Part>
          <Who {...{ values, set, namespace }} />
          <HowOften {...{ values, set }} />
        </fieldset>
        {!problem && <MergedNotice both={edit.both} />}
      </Form>
    </Drawer>
  );
}

type PartProps = { values: RuleValues; set: (part: Partial<RuleValues>) => void };

function Names({ values, set, asNew }: PartProps & { asNew: boolean }) {
  const a = useWords(alarmWords);
  const t = useWords(ruleWords);
  const shared = useWords(sharedWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field name="key" label={shared("key")} required help={asNew ? a("keyHelp") : undefined}>
        <Input mono value={values.key} disabled={!asNew} onChange={(event) => set({ key: event.target.value })} />
      </Field>
      <Field name="title" label={shared("title")}>
        <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <Field name="severity" label={a("severity")}>
        <Select
          value={values.severity}
          onChange={(severity) => set({ severity })}
          options={(["info", "warning", "critical"] as const).map((value) => ({ value, label: a(value) }))}
        />
      </Field>
      <Switch
        className="self-center"
        checked={values.enabled}
        onChange={(enabled) => set({ enabled })}
        help={t("enabledHelp")}
      >
        {a("enabled")}
      </Switch>
    </div>
  );
}

function Who({ values, set, namespace }: PartProps & { namespace: string }) {
  const a = useWords(alarmWords);
  const t = useWords(ruleWords);
  const { channels } = useDefinitionOptions(namespace);
  return (
    <Part title={t("who")}>
      <Field name="channels" label={a("channels")} required>
        <MultiSelect value={values.channels} onChange={(chosen) => set({ channels: chosen })} options={channels} />
      </Field>
      <Switch checked={values.recovered} onChange={(recovered) => set({ recovered })}>
        {t("recovered")}
      </Switch>
      <Steps steps={values.steps} onChange={(steps) => set({ steps })} channels={channels} />
    </Part>
  );
}

function HowOften({ values, set }: PartProps) {
  const t = useWords(ruleWords);
  const time = (name: "wait" | "interval" | "repeat", usual: string) => (
    <Field name={name} label={t(name)} help={t(`${name}Help`)}>
      <Input
        mono
        placeholder={usual}
        value={values[name]}
        onChange={(event) => set({ [name]: event.target.value.trim() })}
      />
    </Field>
  );
  return (
    <Part title={t("howOften")}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field name="group_by" label={t("groupBy")}>
          <Select
            value={values.groupBy}
            onChange={(groupBy) => set({ groupBy })}
            options={[
              { value: "job", label: t("byJob") },
              { value: "group", label: t("byGroup") },
              { value: "rule", label: t("byRule") },
            ]}
          />
        </Field>
        {time("wait", "10s")}
        {time("interval", "5m")}
        {time("repeat", "4h")}
      </div>
    </Part>
  );
}
