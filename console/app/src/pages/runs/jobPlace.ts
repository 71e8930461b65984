/** A job as filters name it: by its key, and where all namespaces are shown with its own before that, `team/report`. */
export function jobPlace(job: string | undefined, namespace: string): { job?: string; namespace?: string } {
  const at = job?.indexOf("/") ?? -1;
  if (!job || at < 0) return { job: job || undefined, namespace: namespace || undefined };
  return { job: job.slice(at + 1), namespace: job.slice(0, at) };
}
