import { useParams } from "@tanstack/react-router";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { useNamespace } from "@/shell/namespace";
import { CodeEditor } from "@/ui/CodeEditor";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Skeleton } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { useTaggedJob } from "../form/JobFormPage";
import { editorLanguage } from "../form/scripts";
import { jobsWords } from "../words";
import { CodeWorkbench } from "./CodeWorkbench";
import { codeWords } from "./words";

/** The page that shows and edits the code of a job. */
export function CodePage() {
  const t = useWords(codeWords);
  const jobs = useWords(jobsWords);
  const { id: key } = useParams({ strict: false }) as { id: string };
  const { of: namespace } = useNamespace();
  const { data, error, refetch } = useTaggedJob(key, namespace);
  const job = data?.data;
  return (
    <>
      <PageHeader
        title={t("title", { key })}
        crumbs={[
          <Link key="jobs" to="/jobs">
            {jobs("title")}
          </Link>,
          <Link key="job" to="/jobs/$id" params={{ id: key } as never}>
            {key}
          </Link>,
        ]}
      />
      {error && !data && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-96" />}
      {job?.template && <TemplateCode job={job} />}
      {job && !job.template && job.handler?.kind === "named" && (
        <Empty title={t("noCode")}>{t("noCodeText", { name: job.handler.name ?? "" })}</Empty>
      )}
      {data && job && !job.template && job.handler && job.handler.kind !== "named" && (
        <CodeWorkbench key={key} loaded={data} />
      )}
    </>
  );
}

/** The code that an instance has from its template: it can be read here, and is changed there. */
function TemplateCode({ job }: { job: Job }) {
  const t = useWords(codeWords);
  const template = useGet("/jobs/{key}", {
    path: { key: job.template ?? "" },
    query: { namespace: job.namespace },
  });
  const handler = job.template_version ? job.handler : template.data?.handler;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3 rounded-md border bg-sunken px-3 py-2">
        <p className="min-w-0 flex-1">
          {t("ofTemplate", { key: job.template ?? "" })}{" "}
          {job.template_version ? t("pinnedTo", { n: job.template_version }) : ""}
        </p>
        <ButtonLink size="small" to="/jobs/$id/code" params={{ id: job.template } as never}>
          {t("openTemplate")}
        </ButtonLink>
      </div>
      {template.error && <ErrorState problem={template.error} onRetry={() => void template.refetch()} />}
      {handler && (
        <CodeEditor
          className="h-[60vh]"
          label={t("title", { key: job.key })}
          readOnly
          value={handler.source ?? ""}
          language={editorLanguage(handler.kind)}
        />
      )}
    </div>
  );
}
