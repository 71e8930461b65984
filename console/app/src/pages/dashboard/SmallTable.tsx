import type { ReactNode } from "react";
import { cn } from "@/ui/cn";
import { SkeletonText } from "@/ui/Skeleton";

type SmallColumn<R> = { title: string; cell: (row: R) => ReactNode; right?: boolean; wide?: boolean };

/** A few rows that are only looked at. */
export function SmallTable<R>({
  label,
  rows,
  rowKey,
  columns,
  empty,
}: {
  label: string;
  rows: readonly R[] | undefined;
  rowKey: (row: R) => string;
  columns: readonly SmallColumn<R>[];
  empty: string;
}) {
  if (!rows) {
    return (
      <div className="p-4">
        <SkeletonText lines={4} />
      </div>
    );
  }
  if (rows.length === 0) return <p className="px-4 py-6 text-center text-faint">{empty}</p>;
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full text-sm">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={cn(
                  "h-8 whitespace-nowrap px-3 text-left font-medium text-faint text-xs first:pl-4 last:pr-4",
                  column.right && "text-right",
                )}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-t">
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={cn(
                    "h-9 whitespace-nowrap px-3 first:pl-4 last:pr-4",
                    column.right && "text-right",
                    column.wide && "w-full max-w-0 truncate",
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
