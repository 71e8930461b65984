import { ListChecks } from "lucide-react";
import type { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { labelOf, labelVariable, reference } from "./secret";
import { secretWords } from "./words";

export type Uses = Schema<"SecretJobList">;
type Use = Schema<"SecretJob">;

/** The jobs that refer to a secret. */
export function SecretUses({ answer }: { answer: ReturnType<typeof useGet<"/secrets/{key}/jobs">> }) {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const columns: Column<Use>[] = [
    {
      id: "job",
      title: shared("job"),
      cell: (one) => (
        <Link
          to="/jobs/$id"
          params={{ id: one.key }}
          search={{ ns: one.namespace } as never}
          className="font-mono text-xs"
        >
          {one.key}
        </Link>
      ),
      fixed: true,
    },
    { id: "group", title: shared("group"), cell: (one) => one.group },
    {
      id: "field",
      title: t("field"),
      cell: (one) => {
        const label = labelOf(one.field);
        return label === null ? t("fieldParam") : t("fieldLabel", { name: label });
      },
    },
  ];
  return (
    <Section title={t("jobs")} text={t("jobsText")} flush>
      <Table
        label={t("jobs")}
        columns={columns}
        rows={answer.data?.jobs}
        rowKey={(one) => one.key}
        problem={answer.error}
        onRetry={() => void answer.refetch()}
        empty={
          <Empty icon={ListChecks} title={t("noJobs")}>
            {t("noJobsText")}
          </Empty>
        }
      />
      {answer.data?.more && <p className="border-t px-4 py-2 text-soft text-xs">{t("moreJobs")}</p>}
    </Section>
  );
}

/** What is written where a job needs the value. */
export function HowToUse({ secretKey }: { secretKey: string }) {
  const t = useWords(secretWords);
  return (
    <Section title={t("how")} text={t("howText")}>
      <dl className="flex flex-col gap-2.5 text-sm">
        <Line label={t("howParam")} text={reference(secretKey)} />
        <Line label={t("howURL")} text={reference(secretKey, "url")} />
        <Line label={t("howLabel")} text={`orth job edit JOB --label api-token='${reference(secretKey)}'`} />
        <Line label={t("howScript")} text={`$${labelVariable("api-token")}`} />
      </dl>
    </Section>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <div className="grid items-center gap-x-4 sm:grid-cols-[11rem_1fr]">
      <dt className="text-faint">{label}</dt>
      <dd className="flex items-center gap-1">
        <code className="min-w-0 break-words font-mono text-xs">{text}</code>
        <CopyButton text={text} />
      </dd>
    </div>
  );
}
