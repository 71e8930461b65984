import type { Column } from "./Table";

/** The columns of a list, with the namespace of each row after the first when those of several are shown. */
export function inSpaces<R extends { namespace?: string }>(
  many: boolean,
  columns: Column<R>[],
  title: string,
): Column<R>[] {
  if (!many) return columns;
  const [first, ...rest] = columns;
  const own: Column<R> = { id: "namespace", title, className: "whitespace-nowrap", cell: (row) => row.namespace };
  return first ? [first, own, ...rest] : [own];
}
