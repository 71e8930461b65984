import { useMemo } from "react";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { ErrorState } from "@/ui/ErrorState";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Table } from "@/ui/Table";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { FiringLines } from "../form/FiringsPreview";
import { whenWords } from "../form/whenWords";
import { sentenceLanguage, sentenceText } from "../sentence";
import { runColumns } from "./RunsTable";
import { jobWords } from "./words";

/** When the job fires next, and what its last firings became. */
export function FiringsTab({ job }: { job: Job }) {
  const t = useWords(jobWords);
  const when = useWords(whenWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const columns = useMemo(() => runColumns(shared), [shared]);
  const firings = useGet("/jobs/{key}/firings", {
    path: { key: job.key },
    query: { namespace: job.namespace, count: 20, language: sentenceLanguage(language) },
  });
  const past = useGet("/runs", {
    query: { job: job.key, namespace: job.namespace, cause: "schedule", limit: 20 },
  });
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Section
        flush
        title={when("preview")}
        text={firings.data && sentenceText(firings.data.sentence, language)}
        className="self-start"
      >
        {firings.error && <ErrorState problem={firings.error} onRetry={() => void firings.refetch()} />}
        {!firings.data && !firings.error && (
          <div className="p-4">
            <SkeletonText lines={8} />
          </div>
        )}
        {firings.data && <FiringLines list={firings.data} kind={job.schedule.kind} />}
      </Section>
      <Section flush title={t("past")} className="self-start">
        <Table
          label={t("past")}
          columns={columns}
          shown={["state", "planned", "started", "took"]}
          rows={past.data?.runs}
          rowKey={(run) => run.id}
          problem={past.error}
          onRetry={() => void past.refetch()}
          empty={<p className="px-4 py-6 text-faint">{t("noPast")}</p>}
        />
      </Section>
    </div>
  );
}
