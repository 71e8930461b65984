import { useQueryClient } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { get, put } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { jobFinder } from "@/pages/runs/useRunFilters";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { CodeEditor } from "@/ui/CodeEditor";
import { Combobox } from "@/ui/Combobox";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { type FormState, useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Tabs } from "@/ui/Tabs";
import { useToast } from "@/ui/Toast";
import { useUnsaved } from "@/ui/unsaved";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Graph } from "./Graph";
import {
  connected,
  type Draft,
  disconnected,
  type Fault,
  faultsOf,
  freeName,
  isKey,
  nodeOfField,
  readText,
  textOf,
  withNode,
  withoutNode,
} from "./graph";
import { NodeForm } from "./NodeForm";
import { workflowWords } from "./words";

/** Draws a workflow: nodes and edges in the picture, or the same as text. */
export function WorkflowEditor({
  workflow,
  etag,
  namespace,
  onReload,
}: {
  /** What is changed; null for a new one. */
  workflow: Schema<"Workflow"> | null;
  etag: string;
  namespace: string;
  onReload: () => void;
}) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const [key, setKey] = useState(workflow?.key ?? "");
  const [start] = useState<Draft>({ title: workflow?.title ?? "", nodes: workflow?.nodes ?? [] });
  const [draft, setDraft] = useState(start);
  const [view, setView] = useState<"graph" | "text">("graph");
  const [text, setText] = useState("");
  const [textFault, setTextFault] = useState("");
  const [selected, setSelected] = useState<string>();
  const faults = faultsOf(draft.nodes);
  const needed = useNeeded();
  const form = useForm({
    faults: {
      key: needed(key) ?? (isKey(key) ? undefined : t("keyHelp")),
      text: textFault ? t("badText", { why: textFault }) : undefined,
      ...Object.fromEntries(faults.map((one) => [one.field, t(one.fault, one.values)])),
    },
    reveal: (fields) => {
      if (textFault) return;
      const index = fields.map(nodeOfField).find((one) => one !== undefined);
      if (fields.some((one) => one.startsWith("nodes"))) setView("graph");
      if (index !== undefined) setSelected(draft.nodes[index]?.name);
    },
  });
  const saving = useSaving(form, { key, namespace, etag, isNew: workflow === null, draft });
  const dirty = !saving.done && (textOf(draft) !== textOf(start) || (workflow === null && key !== ""));
  useBlocker({ shouldBlockFn: () => dirty && !window.confirm(t("leave")), enableBeforeUnload: () => dirty });
  useUnsaved(dirty);
  const turn = (to: "graph" | "text") => {
    if (to === "text") setText(textOf(draft));
    else if (textFault) return;
    setView(to);
  };
  const type = (typed: string) => {
    setText(typed);
    try {
      setDraft(readText(typed));
      setTextFault("");
    } catch (error) {
      setTextFault(error instanceof Error ? error.message : String(error));
    }
  };
  const save = () => dirty && void saving.save(false);
  return (
    <>
      <PageHeader
        title={workflow ? t("edit", { key: workflow.key }) : t("newOne")}
        crumbs={[
          <Link key="all" to="/workflows">
            {t("title")}
          </Link>,
        ]}
        badges={dirty && <Badge tone="warn">{t("unsaved")}</Badge>}
        actions={
          <>
            <Button busy={form.busy} onClick={() => void saving.check().then((ok) => ok && toast.info(t("checked")))}>
              {t("check")}
            </Button>
            <Submit form={form} disabled={!dirty}>
              {shared("save")}
            </Submit>
          </>
        }
      />
      <Form
        form={form}
        onSubmit={save}
        instead={
          form.problem && [409, 412].includes(form.problem.status) ? (
            <Refused problem={form.problem} onTheirs={onReload} onMine={() => void saving.save(true)} />
          ) : undefined
        }
      >
        <div className="mb-4 grid gap-4 sm:grid-cols-2">
          <Field name="key" label={shared("key")} required help={workflow ? undefined : t("keyHelp")}>
            <Input mono value={key} disabled={workflow !== null} onChange={(event) => setKey(event.target.value)} />
          </Field>
          <Field name="title" label={shared("title")}>
            <Input
              value={draft.title}
              maxLength={200}
              onChange={(event) => setDraft({ ...draft, title: event.target.value })}
            />
          </Field>
        </div>
        <Tabs
          label={t("workflow")}
          value={view}
          onChange={turn}
          tabs={[
            {
              value: "graph",
              label: t("graph"),
              content: (
                <Field name="nodes" group label={<span className="sr-only">{t("graph")}</span>}>
                  <Canvas
                    draft={draft}
                    onDraft={setDraft}
                    selected={selected}
                    onSelect={setSelected}
                    namespace={namespace}
                  />
                </Field>
              ),
            },
            {
              value: "text",
              label: t("asText"),
              content: (
                <Field name="text" group label={<span className="sr-only">{t("asText")}</span>}>
                  <CodeEditor
                    label={t("asText")}
                    language="json"
                    value={text}
                    onChange={type}
                    onSave={save}
                    className="min-h-96"
                  />
                </Field>
              ),
            },
          ]}
        />
        <Faults faults={draft.nodes.length > 0 && !textFault ? faults : []} />
      </Form>
    </>
  );
}

function Canvas({
  draft,
  onDraft,
  selected,
  onSelect,
  namespace,
}: {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  /** The name of the node whose fields are shown. */
  selected: string | undefined;
  onSelect: (name: string | undefined) => void;
  namespace: string;
}) {
  const t = useWords(workflowWords);
  const toast = useToast();
  const node = draft.nodes.find((one) => one.name === selected);
  const change = (nodes: Draft["nodes"]) => onDraft({ ...draft, nodes });
  return (
    <div className="grid gap-4 lg:grid-cols-[1fr_20rem]">
      <div className="flex min-w-0 flex-col gap-2">
        <Combobox
          label={t("addJob")}
          placeholder={t("addJob")}
          value=""
          onChange={(job) => {
            if (!job) return;
            onSelect(freeName(draft.nodes, job));
            change(withNode(draft.nodes, job));
          }}
          options={jobFinder(namespace)}
          className="max-w-80"
        />
        <div className="h-[28rem] overflow-hidden rounded-lg border">
          <Graph
            label={t("graph")}
            nodes={draft.nodes}
            selected={selected}
            onSelect={onSelect}
            onConnect={(from, to) => {
              const next = connected(draft.nodes, from, to);
              if (next) change(next);
              else toast.failed(new Error(t("cycle")), t("cycle"));
            }}
            onDisconnect={(from, to) => change(disconnected(draft.nodes, from, to))}
            onRemove={(name) => change(withoutNode(draft.nodes, name))}
          />
        </div>
        <p className="text-faint text-xs">{t("addHelp")}</p>
      </div>
      <Section title={node ? node.name : t("node")}>
        {node ? (
          <NodeForm
            key={node.name}
            node={node}
            nodes={draft.nodes}
            namespace={namespace}
            onChange={change}
            onRename={onSelect}
          />
        ) : (
          <p className="text-soft">{t("chooseNode")}</p>
        )}
      </Section>
    </div>
  );
}

function Faults({ faults }: { faults: Fault[] }) {
  const t = useWords(workflowWords);
  if (faults.length === 0) return null;
  return (
    <ul aria-live="polite" className="mt-3 flex flex-col gap-0.5 text-warn">
      {faults.map(({ fault, values }) => (
        <li key={`${fault} ${Object.values(values).join()}`}>{t(fault, values)}</li>
      ))}
    </ul>
  );
}

function Refused({ problem, onTheirs, onMine }: { problem: Problem; onTheirs: () => void; onMine: () => void }) {
  const t = useWords(workflowWords);
  const other = problem.status === 412;
  return (
    <div className="mb-4">
      <ErrorState problem={problem} compact>
        <div className="mt-2">
          {other && <p>{t("conflict")}</p>}
          <div className="mt-2 flex gap-2">
            {other && (
              <Button size="small" onClick={onTheirs}>
                {t("theirs")}
              </Button>
            )}
            <Button size="small" look="danger" onClick={onMine}>
              {t("mine")}
            </Button>
          </div>
        </div>
      </ErrorState>
    </div>
  );
}

/** Whether a workflow has the key already. */
async function exists(key: string, namespace: string): Promise<boolean> {
  try {
    await get("/workflows/{key}", { path: { key }, query: { namespace } });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return false;
    throw error;
  }
}

/** Checks and saves a draft. */
function useSaving(
  form: FormState,
  what: { key: string; namespace: string; etag: string; isNew: boolean; draft: Draft },
) {
  const { key, namespace, etag, isNew, draft } = what;
  const t = useWords(workflowWords);
  const toast = useToast();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [done, setDone] = useState(false);
  const send = (dry: boolean, over: boolean) =>
    form.send(async () => {
      if (isNew && !over && (await exists(key, namespace))) {
        throw new Problem(409, { code: "conflict", field: "key", detail: t("taken", { key }) });
      }
      await put("/workflows/{key}", {
        path: { key },
        query: { namespace, ...(dry ? { dry_run: true } : {}) },
        body: { title: draft.title || undefined, nodes: draft.nodes },
        ...(isNew || over ? {} : { ifMatch: etag }),
      });
    });
  const save = async (over: boolean) => {
    if (!(await send(false, over))) return;
    setDone(true);
    toast.done(t("saved"));
    for (const path of ["/workflows", "/workflows/{key}"]) await queries.invalidateQueries({ queryKey: [path] });
    // The page asks before it is left unless it knows that all is saved.
    setTimeout(
      () => void navigate({ to: "/workflows/$key", params: { key }, search: (before) => ({ ns: before.ns }) }),
      0,
    );
  };
  return { done, check: () => send(true, false), save };
}
