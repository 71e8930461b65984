import type { Column } from "./Table";

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
