import { ArrowLeft, Pencil, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useGet, useList } from "@/api/query";
import type { Job } from "@/api/types";
import { Button } from "@/ui/Button";
import { CodeEditor } from "@/ui/CodeEditor";
import { cn } from "@/ui/cn";
import { ErrorState } from "@/ui/ErrorState";
import { Section } from "@/ui/Section";
import { Skeleton, SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { AuthorName } from "../detail/AuthorName";
import { RestoreDialog } from "../detail/HistoryTab";
import { jobWords } from "../detail/words";
import { editorLanguage } from "../form/scripts";
import { codeWords } from "./words";

/** The versions of the code of a job: who saved each, and when. */
export function Versions({
  job,
  shown,
  dirty,
  onShow,
}: {
  job: Job;
  shown: number | null;
  dirty: boolean;
  onShow: (number: number | null) => void;
}) {
  const t = useWords(codeWords);
  const shared = useWords(sharedWords);
  const list = useList("/jobs/{key}/revisions", "before", {
    path: { key: job.key },
    query: { namespace: job.namespace, changed: "code", limit: 30 },
  });
  const all = list.data?.flatMap((page) => page.revisions);
  const line = "flex w-full flex-col gap-0.5 border-b px-4 py-2 text-left hover:bg-hover aria-pressed:bg-accent-tint";
  return (
    <Section flush title={t("versions")} className="self-start">
      {list.error && <ErrorState compact problem={list.error} onRetry={() => void list.refetch()} />}
      <button type="button" aria-pressed={shown === null} className={line} onClick={() => onShow(null)}>
        <span className="font-medium">{t("editing")}</span>
        {dirty && <span className="text-warn text-xs">{t("unsaved")}</span>}
      </button>
      {!all && !list.error && (
        <div className="p-4">
          <SkeletonText lines={4} />
        </div>
      )}
      {all?.length === 0 && <p className="px-4 py-3 text-faint text-xs">{t("noVersions")}</p>}
      {all?.map((one) => (
        <button
          key={one.number}
          type="button"
          aria-pressed={shown === one.number}
          className={cn(line, "last:border-b-0")}
          onClick={() => onShow(one.number)}
        >
          <span className="flex justify-between gap-2">
            <span className="font-medium">{t("versionOf", { n: one.number })}</span>
            <Time at={one.at} className="text-soft text-xs" />
          </span>
          <span className="truncate text-soft text-xs">
            <AuthorName by={one.by} />
            {one.note && ` · ${one.note}`}
          </span>
        </button>
      ))}
      {list.hasNextPage && (
        <div className="p-2 text-center">
          <Button size="small" look="quiet" onClick={() => void list.fetchNextPage()}>
            {shared("more")}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** One version, with what has changed of it since. */
export function VersionView({
  job,
  number,
  mayEdit,
  onBack,
  onTake,
  onRestored,
}: {
  job: Job;
  number: number;
  mayEdit: boolean;
  onBack: () => void;
  onTake: (source: string) => void;
  onRestored: () => void;
}) {
  const t = useWords(codeWords);
  const words = useWords(jobWords);
  const [restoring, setRestoring] = useState(false);
  const { data, error, refetch } = useGet(
    "/jobs/{key}/revisions/{number}",
    { path: { key: job.key, number }, query: { namespace: job.namespace } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const source = data?.job.handler?.source ?? "";
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={ArrowLeft} onClick={onBack}>
          {t("backToEdit")}
        </Button>
        <span className="flex-1 text-soft">{t("showingVersion", { n: number })}</span>
        {mayEdit && data && (
          <>
            <Button icon={Pencil} onClick={() => onTake(source)}>
              {t("takeOver")}
            </Button>
            <Button icon={RotateCcw} disabled={source === job.handler?.source} onClick={() => setRestoring(true)}>
              {words("restore")}
            </Button>
          </>
        )}
      </div>
      {error && <ErrorState compact problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-[52vh]" />}
      {data && (
        <CodeEditor
          key={number}
          className="h-[52vh] min-h-72"
          label={t("versionOf", { n: number })}
          readOnly
          value={source}
          original={job.handler?.source ?? ""}
          language={editorLanguage(data.job.handler?.kind)}
        />
      )}
      {restoring && (
        <RestoreDialog
          jobKey={job.key}
          namespace={job.namespace}
          number={number}
          version={job.version}
          onClose={() => setRestoring(false)}
          onDone={onRestored}
        />
      )}
    </>
  );
}
