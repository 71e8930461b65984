import {
  AppWindow,
  Braces,
  FileCode2,
  Globe,
  Hexagon,
  type LucideIcon,
  SquareChevronRight,
  SquareFunction,
  SquareTerminal,
} from "lucide-react";
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
import { CommandFields } from "./CommandFields";
import { HandlerName } from "./HandlerName";
import { Hint } from "./Hint";
import { HttpCallFields } from "./HttpCallFields";
import { InputRows } from "./InputRows";
import { lacksKind, type Offer } from "./offer";
import { isScript, type RunKind, runKinds } from "./runs";
import { editorLanguage, type ScriptKind, samples, scriptNames } from "./scripts";
import { useOffer } from "./useOffer";
import type { JobValues } from "./values";
import { formWords } from "./words";

/** What runs, and with which parameter. */
export function WhatSection({
  id,
  routing,
  namespace,
  onSave,
}: {
  id: string;
  /** The id of the section about routes, where a broadcast is chosen. */
  routing: string;
  namespace: string;
  onSave: () => void;
}) {
  const t = useWords(formWords);
  const runs = useWatch<JobValues, "runs">({ name: "runs" });
  const group = useWatch<JobValues, "group">({ name: "group" });
  const offer = useOffer(namespace, group);
  return (
    <Section title={<span id={id}>{t("what")}</span>}>
      <div className="flex flex-col gap-4">
        <Kinds offer={offer} group={group} routing={routing} />
        {runs === "handler" && <HandlerName namespace={namespace} group={group} offer={offer} />}
        {isScript(runs) && <ScriptSource key={runs} kind={runs} namespace={namespace} onSave={onSave} />}
        {runs === "template" && <TemplateFields namespace={namespace} />}
        {runs === "http" && <HttpCallFields />}
        {runs === "command" && <CommandFields />}
        {runs !== "http" && runs !== "command" && (
          <Bound name="param" label={t("param")} help={t("paramHelp")}>
            {(value, set) => <Textarea mono value={value} onChange={(event) => set(event.target.value)} />}
          </Bound>
        )}
        <InputRows />
      </div>
    </Section>
  );
}

const icons: Partial<Record<RunKind, LucideIcon>> = {
  handler: SquareFunction,
  http: Globe,
  command: AppWindow,
  shell: SquareTerminal,
  nodejs: Hexagon,
  powershell: SquareChevronRight,
  javascript: Braces,
};

/** Everything that a job can run, and what the executors of the group do not offer. */
function Kinds({ offer, group, routing }: { offer: Offer | undefined; group: string; routing: string }) {
  const t = useWords(formWords);
  const { getValues, setValue } = useFormContext<JobValues>();
  const choose = (kind: RunKind) => {
    if (isScript(kind) && getValues(`sources.${kind}`) === "") setValue(`sources.${kind}`, samples[kind]);
    setValue("runs", kind, { shouldDirty: true });
  };
  const names: Partial<Record<RunKind, string>> = {
    handler: t("runsHandler"),
    http: t("runsHttp"),
    command: t("runsCommand"),
    template: t("runsTemplate"),
  };
  const helps: Partial<Record<RunKind, string>> = {
    handler: t("runsHandlerHelp"),
    http: t("runsHttpHelp"),
    command: t("runsCommandHelp"),
    javascript: t("runsJavascriptHelp"),
    groovy: t("runsGroovyHelp"),
    template: t("runsTemplateHelp"),
  };
  const option = (kind: RunKind) => {
    const Icon = icons[kind] ?? FileCode2;
    const help = helps[kind] ?? (isScript(kind) ? t("runsScriptHelp") : undefined);
    return {
      value: kind,
      label: (
        <span className="inline-flex items-center gap-1.5">
          <Icon aria-hidden className="size-3.5 text-soft" />
          {names[kind] ?? scriptNames[kind as ScriptKind]}
        </span>
      ),
      help: (
        <Hint>
          {help}
          {lacksKind(offer, kind) && <span className="mt-0.5 block text-warn">{t("notOffered")}</span>}
        </Hint>
      ),
    };
  };
  return (
    <Bound name="runs" label={t("runs")} group>
      {(value) => (
        <>
          <RadioGroup cards label={t("runs")} value={value} onChange={choose} options={runKinds.map(option)} />
          <p className="text-faint text-xs">
            {group === "" ? t("offerNoGroup") : offer?.executors === 0 && t("offerNobody", { group })}{" "}
            <a
              href={`#${routing}`}
              className="text-accent underline-offset-2 hover:underline"
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(routing)?.scrollIntoView({ block: "start", behavior: "smooth" });
              }}
            >
              {t("toBroadcast")}
            </a>{" "}
            · <Link to="/workflows">{t("toWorkflow")}</Link>
          </p>
        </>
      )}
    </Bound>
  );
}

function ScriptSource({ kind, namespace, onSave }: { kind: ScriptKind; namespace: string; onSave: () => void }) {
  const t = useWords(formWords);
  const { whyNot } = useSession();
  const group = useWatch<JobValues, "group">({ name: "group" });
  const no = whyNot("script", namespace, group || undefined);
  return (
    <Bound
      name={`sources.${kind}`}
      field="handler.source"
      label={t("source")}
      help={no ? t("noScript") : t("sourceHelp")}
      group
      required
    >
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
  );
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
