import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Shapes } from "lucide-react";
import { useMemo, useState } from "react";
import { toProblem } from "@/api/problem";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { OneSpace } from "@/shell/OneSpace";
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
import { CopyDialog } from "../jobs/dialogs/CopyDialog";
import { allJobs } from "../jobs/everything";
import { scriptNames } from "../jobs/form/scripts";
import { type Template, templatesOf } from "./templates";
import { templatesWords } from "./words";

/** The jobs whose code others run, with those that do. */
export function TemplatesPage() {
  const t = useWords(templatesWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const { of: namespace } = useNamespace();
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
      <OneSpace />
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
          rowKey={(one) => one.job.key}
          problem={found.error ? toProblem(found.error) : null}
          onRetry={() => void found.refetch()}
          onOpen={(one) => void navigate({ to: "/jobs/$id/code", params: { id: one.job.key } } as never)}
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
                <Link to="/jobs/$id" params={{ id: job.key } as never} className="font-medium">
                  {job.key}
                </Link>
              ),
            },
            { id: "title", title: shared("title"), cell: ({ job }) => job.title ?? "" },
            {
              id: "code",
              title: t("code"),
              cell: ({ job }) => (
                <Link to="/jobs/$id/code" params={{ id: job.key } as never}>
                  {scriptNames[job.handler?.kind ?? "named"] || job.handler?.name}
                </Link>
              ),
            },
            { id: "instances", title: t("instances"), cell: (one) => <Instances of={one} /> },
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

function Instances({ of }: { of: Template }) {
  const t = useWords(templatesWords);
  const pinned = of.instances.filter((job) => job.template_version && job.template_version < of.job.version).length;
  return (
    <span className="flex flex-wrap gap-x-3">
      {of.instances.slice(0, 6).map((job) => (
        <Link key={job.key} to="/jobs/$id" params={{ id: job.key } as never}>
          {job.key}
        </Link>
      ))}
      {of.instances.length > 6 && <span className="text-faint">+{of.instances.length - 6}</span>}
      {pinned > 0 && <span className="text-warn">{t("pinned", { n: pinned })}</span>}
    </span>
  );
}
