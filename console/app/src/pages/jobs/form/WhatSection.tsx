import { useFormContext, useWatch } from "react-hook-form";
import { get } from "@/api/client";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { Checkbox } from "@/ui/Checkbox";
import { CodeEditor } from "@/ui/CodeEditor";
import { Combobox } from "@/ui/Combobox";
import { Link } from "@/ui/Link";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { jobsWords } from "../words";
import { Bound } from "./Bound";
import { Hint } from "./Hint";
import { HttpCallFields } from "./HttpCallFields";
import { httpHandler } from "./httpcall";
import { editorLanguage, scriptKinds, scriptNames, seedOf } from "./scripts";
import type { HandlerKind, JobValues } from "./values";
import { formWords } from "./words";

/** What runs, and with which parameter. */
export function WhatSection({ id, namespace, onSave }: { id: string; namespace: string; onSave: () => void }) {
  const t = useWords(formWords);
  const code = useWatch<JobValues, "code">({ name: "code" });
  const name = useWatch<JobValues, "handler.name">({ name: "handler.name" });
  return (
    <Section title={<span id={id}>{t("what")}</span>}>
      <div className="flex flex-col gap-4">
        <Bound name="code" label={t("code")} group>
          {(value, set) => (
            <RadioGroup
              cards
              label={t("code")}
              value={value}
              onChange={set}
              options={[
                { value: "handler", label: t("codeHandler"), help: <Hint>{t("codeHandlerHelp")}</Hint> },
                { value: "script", label: t("codeScript"), help: <Hint>{t("codeScriptHelp")}</Hint> },
                { value: "template", label: t("codeTemplate"), help: <Hint>{t("codeTemplateHelp")}</Hint> },
              ]}
            />
          )}
        </Bound>
        {code === "handler" && <HandlerName namespace={namespace} />}
        {code === "script" && <ScriptFields namespace={namespace} onSave={onSave} />}
        {code === "template" && <TemplateFields namespace={namespace} />}
        {code === "handler" && name === httpHandler && <HttpCallFields />}
        <Bound name="param" label={t("param")} help={t("paramHelp")}>
          {(value, set) => <Textarea mono value={value} onChange={(event) => set(event.target.value)} />}
        </Bound>
      </div>
    </Section>
  );
}

function HandlerName({ namespace }: { namespace: string }) {
  const t = useWords(formWords);
  const { data } = useGet("/job-facets", { query: { namespace } }, { staleTime: 60_000 });
  const kinds: readonly string[] = scriptKinds;
  const options = (data?.handlers ?? [])
    .filter((one) => !kinds.includes(one.value))
    .map((one) => ({ value: one.value, label: one.value }));
  return (
    <Bound name="handler.name" label={t("handlerName")} help={t("handlerHelp")} required>
      {(value, set) => <Combobox free value={value} onChange={set} options={options} />}
    </Bound>
  );
}

function ScriptFields({ namespace, onSave }: { namespace: string; onSave: () => void }) {
  const t = useWords(formWords);
  const { whyNot } = useSession();
  const { setValue, getValues } = useFormContext<JobValues>();
  const kind = useWatch<JobValues, "handler.kind">({ name: "handler.kind" });
  const group = useWatch<JobValues, "group">({ name: "group" });
  const no = whyNot("script", namespace, group || undefined);
  const change = (next: HandlerKind) => {
    const source = getValues("handler.source");
    if (source.trim() === "" || source === seedOf(kind))
      setValue("handler.source", seedOf(next), { shouldDirty: true });
  };
  return (
    <>
      <Bound name="handler.kind" label={t("scriptKind")} className="max-w-60">
        {(value, set) => (
          <KindSelect
            value={value}
            onChange={(next) => {
              change(next);
              set(next);
            }}
          />
        )}
      </Bound>
      <Bound name="handler.source" label={t("source")} help={no ? t("noScript") : t("sourceHelp")} group required>
        {(value, set) => (
          <CodeEditor
            className="h-72"
            label={t("source")}
            language={editorLanguage(kind)}
            value={value}
            onChange={set}
            readOnly={Boolean(no)}
            onSave={onSave}
          />
        )}
      </Bound>
    </>
  );
}

function KindSelect({ value, onChange }: { value: HandlerKind; onChange: (kind: HandlerKind) => void }) {
  const options = scriptKinds.map((kind) => ({ value: kind as string, label: scriptNames[kind] }));
  return <Combobox value={value} onChange={(kind) => onChange(kind as HandlerKind)} options={options} />;
}

function TemplateFields({ namespace }: { namespace: string }) {
  const t = useWords(formWords);
  const jobs = useWords(jobsWords);
  const { setValue } = useFormContext<JobValues>();
  const template = useWatch<JobValues, "template">({ name: "template" });
  const chosen = useGet(
    "/jobs/{key}",
    { path: { key: template }, query: { namespace } },
    { enabled: template !== "", retry: false },
  );
  const version = chosen.data?.version;
  return (
    <>
      <Bound name="template" label={t("template")} help={t("templateHelp")} required>
        {(value, set) => (
          <Combobox
            free
            value={value}
            onChange={set}
            options={{
              key: ["templates", namespace],
              lookup: async (text, signal) => {
                const page = await get("/jobs", { query: { namespace, text: text || undefined, limit: 100 }, signal });
                return page.jobs
                  .filter((job) => !job.template)
                  .map((job) => ({ value: job.key, label: job.key, help: job.title }));
              },
            }}
          />
        )}
      </Bound>
      {chosen.data && (
        <div className="flex flex-wrap items-start gap-6">
          <Bound name="pinned" label={<span className="sr-only">{t("pinned")}</span>} group>
            {(value, set) => (
              <Checkbox
                checked={value}
                help={t("pinnedHelp", { n: version ?? 0 })}
                onChange={(on) => {
                  set(on);
                  setValue("template_version", on ? String(version ?? "") : "", { shouldDirty: true });
                }}
              >
                {t("pinned")}
              </Checkbox>
            )}
          </Bound>
          <Link to="/jobs/$id/code" params={{ id: template } as never} className="mt-5">
            {jobs("viewCode")}: {template}
          </Link>
        </div>
      )}
    </>
  );
}
