import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, patch, post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { type JsonObject, patchOf } from "@/pages/jobs/form/mergepatch";
import { Button } from "@/ui/Button";
import { Drawer } from "@/ui/Drawer";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Adopted, LostRace } from "@/ui/LostRace";
import { MultiSelect } from "@/ui/MultiSelect";
import { Select } from "@/ui/Select";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Part } from "../Part";
import { Place } from "../Place";
import { errorAt, leftOver, lostRace } from "../refusal";
import { ScopeFields } from "../ScopeFields";
import { useDefinitionOptions } from "../useDefinitions";
import type { Making } from "../useMaking";
import { alarmWords } from "../words";
import { KindFields } from "./KindFields";
import { bodyOf, numberNames, ofGroup, type Rule, type RuleValues, valuesOf } from "./rule";
import { Steps } from "./Steps";
import { sentenceOf } from "./sentence";
import { ruleWords } from "./words";

const inputs = [
  "key",
  "title",
  "kinds",
  "severity",
  "scope.jobs",
  "scope.groups",
  "scope.labels",
  "channels",
  "escalation",
  "wait",
  "interval",
  "repeat",
  ...numberNames,
];

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
  /** Whether the page shows all namespaces: then the form says which is its own. */
  places: boolean;
  /** Where a new one can be made. */
  making: Making;
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
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const body = bodyOf(values);
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
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
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const adopt = async () => {
    const now = await get("/alarm/rules/{key}", { path: { key: values.key }, query: { namespace } });
    edit.adopt(valuesOf(now), now.version);
    setProblem(null);
    void queries.invalidateQueries({ queryKey: ["/alarm/rules"] });
  };
  const lost = !asNew && lostRace(problem);
  const rest = leftOver(problem, inputs);
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
          {!readOnly && (
            <Button look="main" busy={busy} onClick={() => void save()}>
              {asNew ? shared("create") : shared("save")}
            </Button>
          )}
        </>
      }
    >
      <form
        className="flex flex-col gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !readOnly) void save();
        }}
      >
        <fieldset disabled={readOnly} className="contents">
          {places && <Place namespace={namespace} making={asNew ? making : undefined} />}
          <p role="status" className="rounded-md border-accent border-l-2 bg-accent-tint px-3 py-2 text-ink">
            {sentenceOf(body, t, language)}
          </p>
          <Names {...{ values, set, problem, asNew }} />
          <Part title={t("what")}>
            <KindFields values={values} set={set} problem={problem} />
          </Part>
          <Part title={a("scope")}>
            <ScopeFields
              value={values}
              onChange={set}
              namespace={namespace}
              problem={problem}
              groupsOnly={values.kinds.length > 0 && values.kinds.every(ofGroup)}
            />
          </Part>
          <Who {...{ values, set, problem, namespace }} />
          <HowOften {...{ values, set, problem }} />
          <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
        </fieldset>
        {!problem && <Adopted both={edit.both} />}
        {problem && lost && <LostRace problem={problem} load={adopt} />}
        {rest && !lost && <ErrorState compact problem={rest} />}
      </form>
    </Drawer>
  );
}

type PartProps = { values: RuleValues; set: (part: Partial<RuleValues>) => void; problem: Problem | null };

function Names({ values, set, problem, asNew }: PartProps & { asNew: boolean }) {
  const a = useWords(alarmWords);
  const t = useWords(ruleWords);
  const shared = useWords(sharedWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={shared("key")} required help={asNew ? a("keyHelp") : undefined} error={errorAt(problem, "key")}>
        <Input mono value={values.key} disabled={!asNew} onChange={(event) => set({ key: event.target.value })} />
      </Field>
      <Field label={shared("title")} error={errorAt(problem, "title")}>
        <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <Field label={a("severity")} error={errorAt(problem, "severity")}>
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

function Who({ values, set, problem, namespace }: PartProps & { namespace: string }) {
  const a = useWords(alarmWords);
  const t = useWords(ruleWords);
  const { channels } = useDefinitionOptions(namespace);
  return (
    <Part title={t("who")}>
      <Field label={a("channels")} required error={errorAt(problem, "channels")}>
        <MultiSelect value={values.channels} onChange={(chosen) => set({ channels: chosen })} options={channels} />
      </Field>
      <Switch checked={values.recovered} onChange={(recovered) => set({ recovered })}>
        {t("recovered")}
      </Switch>
      <Steps
        steps={values.steps}
        onChange={(steps) => set({ steps })}
        channels={channels}
        error={errorAt(problem, "escalation")}
      />
    </Part>
  );
}

function HowOften({ values, set, problem }: PartProps) {
  const t = useWords(ruleWords);
  const time = (name: "wait" | "interval" | "repeat", usual: string) => (
    <Field label={t(name)} help={t(`${name}Help`)} error={errorAt(problem, name)}>
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
        <Field label={t("groupBy")}>
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
