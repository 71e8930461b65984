import type { Job } from "@/api/types";

/** A job as a document of jobs as code. */
export type JobDocument = {
  apiVersion: "orth/v1";
  kind: "Job";
  metadata: { key: string; namespace: string };
  spec: Record<string, unknown>;
};

// What a server knows of a job, and its user does not decide.
const servers = new Set([
  "id",
  "namespace",
  "key",
  "version",
  "stop_reason",
  "held_by",
  "fired",
  "failures",
  "next_at",
  "last_at",
  "created_at",
  "updated_at",
  "activity",
]);

/** A job as `orth apply` takes it. */
export function documentOf(job: Job): JobDocument {
  const spec = Object.fromEntries(
    Object.entries(job).filter(([name, value]) => !servers.has(name) && value !== undefined),
  );
  if (job.template) delete spec.handler;
  else if (job.handler) {
    const { source_at: _sourceAt, ...handler } = job.handler;
    spec.handler = handler;
  }
  if (job.children) spec.children = job.children.map(({ id: _id, ...child }) => child);
  return { apiVersion: "orth/v1", kind: "Job", metadata: { key: job.key, namespace: job.namespace }, spec };
}

/** Jobs as one file. */
export function fileOf(jobs: readonly Job[]): string {
  return `${JSON.stringify(jobs.map(documentOf), null, 2)}\n`;
}

/** Has the browser keep a text as a file. */
export function download(name: string, text: string, type = "application/json"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Reads jobs of a file: documents of jobs as code in JSON, one or a list. Throws what is wrong with it. */
export function readDocuments(text: string): JobDocument[] {
  const read: unknown = JSON.parse(text);
  const all = Array.isArray(read) ? read : [read];
  return all.map((one: unknown, at) => {
    const { kind, metadata, spec } = (one ?? {}) as Partial<JobDocument>;
    if (kind !== "Job" || typeof metadata?.key !== "string" || typeof spec !== "object" || spec === null) {
      throw new Error(`[${at}]: { apiVersion: "orth/v1", kind: "Job", metadata: { key }, spec }`);
    }
    return { apiVersion: "orth/v1", kind, metadata, spec };
  });
}
