import { FlaskConical, Square } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Elapsed } from "@/ui/Duration";
import { Field } from "@/ui/Field";
import { Form } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { Input } from "@/ui/Input";
import { Link } from "@/ui/Link";
import { LogView } from "@/ui/LogView";
import { Section } from "@/ui/Section";
import { StateBadge } from "@/ui/StateBadge";
import { useWords } from "@/words";
import { runParamOf } from "../param";
import { codeWords } from "./words";

/** Tries the code that stands in the editor, once, and shows its log as it is written. */
export function Trial({ job, code }: { job: Job; code: string | undefined }) {
  const t = useWords(codeWords);
  const { whyNot } = useSession();
  const [own, setOwn] = useState(true);
  const [param, setParam] = useState(runParamOf(job) ?? "");
  const [timeout, setTimeout] = useState("60s");
  const [run, setRun] = useState<string | null>(null);
  const form = useForm();
  const no =
    whyNot("operate", job.namespace, job.group) ??
    (code === undefined ? undefined : whyNot("script", job.namespace, job.group));
  const go = () =>
    form.send(async () => {
      const made = await post("/jobs/{key}/trial", {
        path: { key: job.key },
        query: { namespace: job.namespace },
        body: {
          code,
          kind: code === undefined ? undefined : (job.handler?.kind as "shell"),
          param: own ? undefined : param,
          timeout: timeout.trim() || undefined,
        },
      });
      setRun(made.id);
    });
  return (
    <Section title={t("tryIt")} text={t("tryText")} actions={run && <TrialState run={run} />}>
      <Form form={form} onSubmit={() => !no && void go()} className="flex flex-wrap items-start gap-3">
        <Field name="param" label={t("param")} className="min-w-48 flex-1">
          <Input
            mono
            disabled={own}
            value={own ? "" : param}
            placeholder={own ? t("ownParam") : ""}
            onChange={(event) => setParam(event.target.value)}
          />
          <Checkbox checked={own} onChange={setOwn} className="mt-1">
            {t("useOwn")}
          </Checkbox>
        </Field>
        <Field name="timeout" label={t("timeout")} className="w-28">
          <Input mono value={timeout} onChange={(event) => setTimeout(event.target.value)} />
        </Field>
        <Button type="submit" icon={FlaskConical} busy={form.busy} reason={no} className="mt-6">
          {t("tryIt")}
        </Button>
      </Form>
      <div className="mt-3">
        {run ? <LogView key={run} runId={run} className="h-72" /> : <p className="text-faint">{t("noTrial")}</p>}
      </div>
    </Section>
  );
}

function TrialState({ run }: { run: string }) {
  const t = useWords(codeWords);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { data, refetch } = useGet(
    "/runs/{id}",
    { path: { id: run } },
    { refetchInterval: (query) => (query.state.data?.final ? false : 1_000) },
  );
  const stop = async () => {
    try {
      await post("/runs/{id}/cancel", { path: { id: run }, body: {} });
      await refetch();
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  if (!data) return null;
  return (
    <span className="flex flex-wrap items-center gap-3" role="status">
      <StateBadge state={data.state} title={reasonText(data.message || data.reason) || undefined} />
      <Elapsed from={data.started_at} to={data.ended_at} />
      {problem && <span className="text-bad">{problem.detail}</span>}
      {!data.final && (
        <Button size="small" icon={Square} onClick={() => void stop()}>
          {t("stopTrial")}
        </Button>
      )}
      <Link to="/runs/$id" params={{ id: run } as never}>
        {t("openRun", { id: run })}
      </Link>
    </span>
  );
}
