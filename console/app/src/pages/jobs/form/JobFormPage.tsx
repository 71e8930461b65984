import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { getTagged, type Tagged } from "@/api/client";
import type { Problem } from "@/api/problem";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { MissingRight } from "@/shell/MissingRight";
import { useNamespace, useSpaceFor } from "@/shell/namespace";
import { OneSpace } from "@/shell/OneSpace";
import { ErrorState } from "@/ui/ErrorState";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { jobsWords } from "../words";
import { JobForm } from "./JobForm";
import { formWords } from "./words";

/** A job with its tag, for a change that must not overwrite another. */
export function useTaggedJob(key: string, namespace: string) {
  return useQuery<Tagged<Job>, Problem>({
    // It is read once, and again when that is asked for: neither an event nor a server that is back makes it old, so
    // that what is being edited does not change under the hands of the user.
    enabled: (query) => query.state.data === undefined,
    queryKey: ["edit-job", namespace, key],
    queryFn: ({ signal }) => getTagged("/jobs/{key}", { path: { key }, query: { namespace }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnMount: "always",
  });
}

/** The page that makes a job. */
export function NewJobPage() {
  const t = useWords(formWords);
  const jobs = useWords(jobsWords);
  const namespace = useSpaceFor("edit");
  const { may } = useSession();
  const search = useSearch({ strict: false }) as { group?: string; template?: string };
  const crumbs = [
    <Link key="jobs" to="/jobs">
      {jobs("title")}
    </Link>,
  ];
  if (!may("edit", namespace)) return <MissingRight title={t("newTitle")} crumbs={crumbs} right="edit" />;
  return (
    <>
      <PageHeader title={t("newTitle")} crumbs={crumbs} />
      <OneSpace />
      <JobForm namespace={namespace} group={search.group} template={search.template} />
    </>
  );
}

/** The page that changes a job. */
export function EditJobPage() {
  const t = useWords(formWords);
  const jobs = useWords(jobsWords);
  const { id } = useParams({ strict: false }) as { id: string };
  const { of: namespace } = useNamespace();
  const { may } = useSession();
  const { data, error, refetch } = useTaggedJob(id, namespace);
  const title = t("editTitle", { key: id });
  const crumbs = [
    <Link key="jobs" to="/jobs">
      {jobs("title")}
    </Link>,
    <Link key="job" to="/jobs/$id" params={{ id } as never}>
      {id}
    </Link>,
  ];
  if (!may("edit", namespace, data?.data.group)) return <MissingRight title={title} crumbs={crumbs} right="edit" />;
  return (
    <>
      <PageHeader title={title} crumbs={crumbs} />
      {error && !data && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={12} />}
      {data && <JobForm key={data.etag} namespace={namespace} loaded={data} onReload={() => void refetch()} />}
    </>
  );
}
