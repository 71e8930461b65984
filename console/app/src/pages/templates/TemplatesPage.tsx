import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Shapes } from "lucide-react";
import { useMemo, useState } from "react";
import { toProblem } from "@/api/problem";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { everySpace, inSpace, useManySpaces, useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Empty } from "@/ui/Empty";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { allJobs } from "../jobs/allJobs";
import { CopyDialog } from "../jobs/dialogs/CopyDialog";
import { scriptNames } from "../jobs/form/scripts";
import { jobRefText } from "../jobs/jobRef";
import { type Template, templatesOf } from "./templates";
import { templatesWords } from "./words";

/** The jobs whose code others run, with those that do. */
export function TemplatesPage() {
  const t = useWords(templatesWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { namespace: shown } = useNamespace();
  const namespace = shown || everySpace;
  const many = useManySpaces();
  const { all } = useSearch({ strict: false }) as { all?: boolean };
  const [making, setMaking] = useState<Job | null>(null);
  const found = useQuery({
    queryKey: ["/jobs", "templates", namespace],
    queryFn: ({ signal }) => allJobs({ namespace }, signal),
  });
  const rows = useMemo(() => found.data && templatesOf(found.data.jobs, Boolean(all)), [found.data, all]);
  const { may } = useSession();
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <div className="mb-3">
        <Checkbox
          checked={Boolean(all)}
          onChange={(on) =>
            void navigate({
              to: "/templates",
              search: (b: object) => ({ ...b, all: on || undefined }),
              replace: true,
            } as never)
          }
        >
          {t("all")}
        </Checkbox>
      </div>
      <Section flush>
        <Table<Template>
          label={t("title")}
          rows={rows}
          rowKey={(one) => jobRefText(one.job)}
          problem={found.error ? toProblem(found.error) : null}
          onRetry={() => void found.refetch()}
          onOpen={({ job }) =>
            void navigate({
              to: "/jobs/$id/code",
              params: { id: job.key },
              search: inSpace(shown, job.namespace),
            } as never)
          }
          empty={
            <Empty icon={Shapes} title={t("emptyTitle")} action={<ButtonLink to="/jobs">{t("toJobs")}</ButtonLink>}>
              {t("emptyText")}
            </Empty>
          }
          columns={[
            {
              id: "key",
              title: t("template"),
              fixed: true,
              cell: ({ job }) => (
                <Link {...jobAt(shown, job)} className="font-medium">
                  {job.key}
                </Link>
              ),
            },
            ...(many
              ? [{ id: "namespace", title: shared("namespace"), cell: ({ job }: Template) => job.namespace }]
              : []),
            { id: "title", title: shared("title"), cell: ({ job }) => job.title ?? "" },
            {
              id: "code",
              title: t("code"),
              cell: ({ job }) => (
                <Link {...jobAt(shown, job)} to="/jobs/$id/code">
                  {scriptNames[job.handler?.kind ?? "named"] || job.handler?.name}
                </Link>
              ),
            },
            { id: "instances", title: t("instances"), cell: (one) => <Instances of={one} shown={shown} /> },
            { id: "updated", title: shared("updated"), cell: ({ job }) => <Time at={job.updated_at} /> },
            {
              id: "actions",
              title: shared("actions"),
              fixed: true,
              align: "right",
              cell: ({ job }) =>
                may("edit", job.namespace, job.group) && (
                  <Button size="small" icon={Plus} onClick={() => setMaking(job)}>
                    {t("make")}
                  </Button>
                ),
            },
          ]}
        />
      </Section>
      {making && <CopyDialog instances job={making} onClose={() => setMaking(null)} />}
    </>
  );
}

/** Where a link to a job leads. */
function jobAt(shown: string, job: Job) {
  return { to: "/jobs/$id", params: { id: job.key } as never, search: inSpace(shown, job.namespace) as never } as const;
}

function Instances({ of, shown }: { of: Template; shown: string }) {
  const t = useWords(templatesWords);
  const pinned = of.instances.filter((job) => job.template_version && job.template_version < of.job.version).length;
  return (
    <span className="flex flex-wrap gap-x-3">
      {of.instances.slice(0, 6).map((job) => (
        <Link key={job.key} {...jobAt(shown, job)}>
          {job.key}
        </Link>
      ))}
      {of.instances.length > 0 && (
        <Link to="/jobs" search={{ ns: of.job.namespace, template: of.job.key } as never}>
          {t("inList", { count: of.instances.length })}
        </Link>
      )}
      {pinned > 0 && <span className="text-warn">{t("pinned", { n: pinned })}</span>}
    </span>
  );
}
