import type { Column } from "@/ui/Table";

/** The columns of a list, with the namespace of each row after the first when all namespaces are shown. */
export function inSpaces<R extends { namespace?: string }>(
  namespace: string,
  columns: Column<R>[],
  title: string,
): Column<R>[] {
  if (namespace !== "") return columns;
  const [first, ...rest] = columns;
  const own: Column<R> = { id: "namespace", title, className: "whitespace-nowrap", cell: (row) => row.namespace };
  return first ? [first, own, ...rest] : [own];
}

type Definition = { namespace?: string; key: string };

/** What tells definitions of all namespaces apart. */
export const placeOf = (one: Definition) => `${one.namespace ?? "default"}/${one.key}`;

/** The search parameters that name a definition: with its namespace where all are shown. */
export function naming(one: Definition, shown: string): { edit: string; in?: string } {
  return { edit: one.key, in: shown === "" ? one.namespace : undefined };
}

/** The definition that search parameters name; without a namespace it is one of the shown, or of the default one. */
export function named<T extends Definition>(
  all: readonly T[] | undefined,
  key: string | undefined,
  space: string | undefined,
  shown: string,
): T | undefined {
  if (!key) return undefined;
  const at = space ?? (shown || "default");
  return all?.find((one) => one.key === key && (one.namespace ?? "default") === at);
}
