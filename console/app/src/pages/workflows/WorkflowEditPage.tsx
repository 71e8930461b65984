import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { getTagged } from "@/api/client";
import type { Problem } from "@/api/problem";
import { useNamespace } from "@/shell/namespace";
import { OneSpace } from "@/shell/OneSpace";
import { ErrorState } from "@/ui/ErrorState";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Skeleton } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { WorkflowEditor } from "./WorkflowEditor";
import { workflowWords } from "./words";

/** Draws a new workflow. */
export function WorkflowNewPage() {
  const { of } = useNamespace();
  return (
    <>
      <OneSpace />
      <WorkflowEditor workflow={null} etag="" namespace={of} onReload={() => {}} />
    </>
  );
}

/** Changes a workflow. What was read is kept with its tag, so that another's change is not overwritten. */
export function WorkflowEditPage() {
  const { key } = useParams({ from: "/shell/workflows/$key/edit" });
  const t = useWords(workflowWords);
  const { of } = useNamespace();
  const read = useQuery<Awaited<ReturnType<typeof load>>, Problem>({
    queryKey: ["workflow to edit", key, of],
    queryFn: () => load(key, of),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (!read.data) {
    return (
      <>
        <PageHeader
          title={t("edit", { key })}
          crumbs={[
            <Link key="all" to="/workflows">
              {t("title")}
            </Link>,
          ]}
        />
        {read.error ? (
          <ErrorState problem={read.error} onRetry={() => void read.refetch()} />
        ) : (
          <Skeleton className="h-96" />
        )}
      </>
    );
  }
  const { data, etag } = read.data;
  return (
    <WorkflowEditor
      key={`${data.version} ${read.dataUpdatedAt}`}
      workflow={data}
      etag={etag}
      namespace={data.namespace}
      onReload={() => void read.refetch()}
    />
  );
}

const load = (key: string, namespace: string) => getTagged("/workflows/{key}", { path: { key }, query: { namespace } });
