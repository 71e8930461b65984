import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { getTagged } from "@/api/client";
import type { Problem } from "@/api/problem";
import { useSession } from "@/session/session";
import { MissingRight } from "@/shell/MissingRight";
import { useNamespace, useSpaceFor } from "@/shell/namespace";
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
  const t = useWords(workflowWords);
  const namespace = useSpaceFor("edit");
  const { may } = useSession();
  if (!may("edit", namespace)) return <MissingRight title={t("newOne")} crumbs={[<All key="all" />]} right="edit" />;
  return (
    <>
      <OneSpace />
      <WorkflowEditor workflow={null} etag="" namespace={namespace} onReload={() => {}} />
    </>
  );
}

/** Changes a workflow. What was read is kept with its tag, so that another's change is not overwritten. */
export function WorkflowEditPage() {
  const { key } = useParams({ from: "/shell/workflows/$key/edit" });
  const t = useWords(workflowWords);
  const { of } = useNamespace();
  const { may } = useSession();
  const read = useQuery<Awaited<ReturnType<typeof load>>, Problem>({
    queryKey: ["workflow to edit", key, of],
    queryFn: () => load(key, of),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // Read once, and again only on request: a reconnect must not discard unsaved edits.
    enabled: (query) => may("edit", of) && query.state.data === undefined,
  });
  const title = t("edit", { key });
  const crumbs = [<All key="all" />];
  if (!may("edit", of)) return <MissingRight title={title} crumbs={crumbs} right="edit" />;
  if (!read.data) {
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
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

function All() {
  const t = useWords(workflowWords);
  return <Link to="/workflows">{t("title")}</Link>;
}

const load = (key: string, namespace: string) => getTagged("/workflows/{key}", { path: { key }, query: { namespace } });
