import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { Elapsed } from "@/ui/Duration";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { JsonView } from "@/ui/JsonView";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { LogView } from "@/ui/LogView";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Skeleton } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Graph } from "./Graph";
import { resumedFrom } from "./graph";
import { NodeState } from "./NodeState";
import { NodeTable } from "./NodeTable";
import { workflowWords } from "./words";

type WorkflowRun = Schema<"WorkflowRun">;

/** One run of a workflow: the picture with live states, and what each node came to. */
export function WorkflowRunPage() {
  const { id } = useParams({ from: "/shell/workflow-runs/$id" });
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const [selected, setSelected] = useState<string>();
  const {
    data: run,
    error,
    refetch,
  } = useGet(
    "/workflow-runs/{id}",
    { path: { id } },
    { refetchInterval: (query) => (query.state.data?.final ? false : 2_000) },
  );
  const crumbs = [
    <Link key="all" to="/workflows">
      {t("title")}
    </Link>,
    run && (
      <Link key="one" to="/workflows/$key" params={{ key: run.workflow }}>
        {run.workflow}
      </Link>
    ),
  ].filter(Boolean);
  if (!run) {
    return (
      <>
        <PageHeader title={t("runShort", { id })} crumbs={crumbs} />
        {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <Skeleton className="h-96" />}
      </>
    );
  }
  const nodes = run.nodes ?? [];
  const node = nodes.find((one) => one.name === selected);
  return (
    <>
      <PageHeader
        title={t("run", { id, key: run.workflow })}
        crumbs={crumbs}
        badges={
          <>
            <NodeState state={run.state} />
            {run.generation > 1 && (
              <Badge>
                {t("generation")} {run.generation - 1}×
              </Badge>
            )}
          </>
        }
        actions={<RunActions run={run} />}
      />
      <div className="flex flex-col gap-4">
        <div className="h-80 overflow-hidden rounded-lg border">
          <Graph label={t("graph")} nodes={nodes} selected={selected} onSelect={setSelected} />
        </div>
        {node && <NodePart key={node.name} node={node} />}
        <Section title={t("nodes")} flush>
          <NodeTable nodes={nodes} selected={selected} onSelect={setSelected} />
        </Section>
        <Section>
          <KeyValue
            columns={2}
            items={[
              [t("progress"), `${run.done} / ${run.total}`],
              [t("failed"), run.failed],
              [shared("created"), <Time key="created" at={run.created_at} as="absolute" />],
              [shared("took"), <Elapsed key="took" from={run.created_at} to={run.ended_at} />],
              [t("version"), run.version],
              [t("plannedAt"), run.planned_at ? <Time key="slot" at={run.planned_at} as="absolute" /> : undefined],
              [t("param"), run.param ? <JsonView key="param" value={run.param} /> : undefined],
              [shared("reason"), reasonText(run.reason) || undefined],
            ]}
          />
        </Section>
      </div>
    </>
  );
}

function NodePart({ node }: { node: Schema<"NodeRun"> }) {
  const t = useWords(workflowWords);
  return (
    <Section
      title={
        <span className="flex items-center gap-2">
          {node.name} <NodeState state={node.state} />
        </span>
      }
      text={reasonText(node.reason) || undefined}
      flush
      actions={
        node.run_id && (
          <ButtonLink to="/runs/$id" params={{ id: node.run_id }} look="quiet" size="small">
            {t("openRun")}
          </ButtonLink>
        )
      }
    >
      {node.result && (
        <div className="p-4">
          <JsonView value={node.result} />
        </div>
      )}
      {node.run_id && <LogView runId={node.run_id} className="h-64" />}
    </Section>
  );
}

function RunActions({ run }: { run: WorkflowRun }) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const { whyNot } = useSession();
  const [asked, setAsked] = useState<"resume" | "cancel" | null>(null);
  const [reason, setReason] = useState("");
  const right = whyNot("operate", run.namespace);
  const act = async (what: "resume" | "cancel") => {
    if (what === "resume") await post("/workflow-runs/{id}/resume", { path: { id: run.id } });
    else await post("/workflow-runs/{id}/cancel", { path: { id: run.id }, body: reason ? { reason } : {} });
    for (const path of ["/workflow-runs", "/workflow-runs/{id}"]) await queries.invalidateQueries({ queryKey: [path] });
    toast.done(what === "resume" ? t("resumed") : t("cancelled"));
  };
  const again = resumedFrom(run.nodes ?? []);
  return (
    <>
      {!run.final && (
        <Button icon={Ban} look="dangerPlain" reason={right} onClick={() => setAsked("cancel")}>
          {t("cancel")}
        </Button>
      )}
      {(run.state === "failed" || run.state === "cancelled") && (
        <Button icon={RotateCcw} look="main" reason={right} onClick={() => setAsked("resume")}>
          {t("resume")}
        </Button>
      )}
      <Confirm
        open={asked === "cancel"}
        onClose={() => setAsked(null)}
        title={t("cancel")}
        text={t("cancelText")}
        action={t("cancel")}
        danger
        cancels
        moot={run.final && t("overAlready")}
        onConfirm={() => act("cancel")}
      >
        <Field label={shared("reason")} help={t("reasonHelp")}>
          <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </Confirm>
      <Confirm
        open={asked === "resume"}
        onClose={() => setAsked(null)}
        title={t("resume")}
        text={t("resumeText")}
        action={t("resume")}
        onConfirm={() => act("resume")}
      >
        {again.length > 0 && (
          <div>
            <p className="text-faint text-xs">{t("resumes")}</p>
            <p className="font-medium">{again.join(", ")}</p>
          </div>
        )}
      </Confirm>
    </>
  );
}
