import { useParams } from "@tanstack/react-router";
import { useGet } from "@/api/query";
import { useNamespace } from "@/shell/namespace";

/** The job that the address names. */
export function useJob() {
  const { id: key } = useParams({ strict: false }) as { id: string };
  const { of: namespace } = useNamespace();
  const asked = useGet("/jobs/{key}", { path: { key }, query: { namespace } }, { refetchInterval: 15_000 });
  return { key, namespace, ...asked };
}
