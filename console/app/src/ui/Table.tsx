import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type ReactNode, useId } from "react";
import type { Problem } from "@/api/problem";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { Checkbox } from "./Checkbox";
import { cn } from "./cn";
import { ErrorState } from "./ErrorState";
import { Skeleton } from "./Skeleton";
import { useRowKeys } from "./useRowKeys";

export type Column<R> = {
  id: string;
  title: string;
  cell: (row: R) => ReactNode;
  /** What the server sorts by; a column without one cannot be sorted by. */
  sort?: string;
  align?: "right";
  /** A CSS width. The columns without one share what is left. */
  width?: string;
  /** Not shown unless it is chosen. */
  extra?: boolean;
  /** Always shown: what names the row. */
  fixed?: boolean;
  className?: string;
};

export type TableProps<R> = {
  /** What the table holds, for those who do not see it. */
  label: string;
  columns: readonly Column<R>[];
  /** The rows; undefined while they load for the first time. */
  rows: readonly R[] | undefined;
  rowKey: (row: R) => string;
  /** The accessible name of a row's checkbox. Default: its key. */
  rowName?: (row: R) => string;
  problem?: Problem | null;
  onRetry?: () => void;
  /** Instead of rows, when there are none. */
  empty: ReactNode;
  /** The ids of the columns to show; undefined shows all that are not extra. */
  shown?: readonly string[];
  /** The current sort: the sort key of a column, with a "-" prefix if descending. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** The keys of selected rows. */
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
  /** Opens a row: by a click outside its links, or Enter. */
  onOpen?: (row: R) => void;
  /** Marks the row that is open. */
  current?: string;
  hasMore?: boolean;
  onMore?: () => void;
  loadingMore?: boolean;
  /** The rows on the screen are those of another filter; the right ones come. */
  stale?: boolean;
};

/** Rows of the server: sorted, selected, opened and read on page by page. It knows nothing of how they are fetched. */
export function Table<R>(props: TableProps<R>) {
  const { label, columns, rows, rowKey, problem, onRetry, empty, shown, selected, onSelect, onOpen } = props;
  const t = useWords(sharedWords);
  const id = useId();
  const visible = columns.filter((column) => column.fixed || (shown ? shown.includes(column.id) : !column.extra));
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect?.(next);
  };
  const keys = useRowKeys(rows ?? [], rowKey, onOpen, onSelect && toggle);
  if (problem && !rows) return <ErrorState problem={problem} onRetry={onRetry} />;
  if (rows?.length === 0) return <>{empty}</>;
  const all = rows?.map(rowKey) ?? [];
  const chosen = all.filter((key) => selected?.has(key)).length;
  return (
    <div>
      {problem && !problem.offline && <ErrorState problem={problem} onRetry={onRetry} />}
      <div className="relative overflow-x-auto" aria-busy={!rows || props.stale || undefined}>
        <table
          aria-label={label}
          className={cn(
            "w-full border-separate border-spacing-0 text-sm transition-opacity",
            // What frames the table ends it; where more can be read a line stands before the button.
            !props.hasMore && "[&>tbody>tr:last-child>td]:border-b-0",
            props.stale && "opacity-60",
          )}
        >
          <thead>
            <tr>
              {onSelect && (
                <th scope="col" className="sticky top-0 z-10 h-8 w-9 border-b bg-side pl-4 text-left">
                  <Checkbox
                    label={t("selectAll")}
                    checked={chosen === 0 ? false : chosen === all.length ? true : "indeterminate"}
                    onChange={(on) => onSelect(new Set(on ? all : []))}
                  />
                </th>
              )}
              {visible.map((column) => (
                <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {!rows && <LoadingRows columns={visible.length + (onSelect ? 1 : 0)} />}
            {rows?.map((row, index) => {
              const key = rowKey(row);
              return (
                <tr
                  key={key}
                  {...keys(index)}
                  aria-selected={onSelect ? (selected?.has(key) ?? false) : undefined}
                  aria-current={props.current === key || undefined}
                  className={cn(
                    "group outline-offset-[-2px] hover:bg-hover/60",
                    onOpen && "cursor-pointer",
                    selected?.has(key) && "bg-accent-tint hover:bg-accent-tint",
                    props.current === key && "bg-hover",
                  )}
                >
                  {onSelect && (
                    <td className="h-9 border-b pl-4">
                      <span className="flex">
                        <Checkbox
                          label={`${t("selectRow")} ${(props.rowName ?? rowKey)(row)}`}
                          checked={selected?.has(key) ?? false}
                          onChange={() => toggle(key)}
                        />
                      </span>
                    </td>
                  )}
                  {visible.map((column, at) => (
                    <td
                      key={column.id}
                      id={at === 0 ? `${id}-${key}` : undefined}
                      className={cn(
                        "h-9 border-b px-3 py-1 first:pl-4 last:pr-4",
                        column.align === "right" && "text-right",
                        column.className,
                      )}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {props.hasMore && (
        <div className="flex justify-center p-3">
          <Button size="small" busy={props.loadingMore} onClick={props.onMore}>
            {t("more")}
          </Button>
        </div>
      )}
    </div>
  );
}

function HeadCell<R>({ column, sort, onSort }: { column: Column<R>; sort?: string; onSort?: (sort: string) => void }) {
  const t = useWords(sharedWords);
  const by = column.sort;
  const falls = by !== undefined && sort === `-${by}`;
  const rises = by !== undefined && sort === by;
  const Icon = falls ? ArrowDown : rises ? ArrowUp : ChevronsUpDown;
  return (
    <th
      scope="col"
      style={{ width: column.width }}
      aria-sort={falls ? "descending" : rises ? "ascending" : undefined}
      className={cn(
        "sticky top-0 z-10 h-8 whitespace-nowrap border-b bg-side px-3 text-left font-medium text-soft text-xs first:pl-4 last:pr-4",
        column.align === "right" && "text-right",
      )}
    >
      {by && onSort ? (
        <button
          type="button"
          title={t("sortBy", { column: column.title })}
          onClick={() => onSort(rises ? `-${by}` : by)}
          className={cn(
            "inline-flex items-center gap-1 rounded-sm hover:text-ink",
            (falls || rises) && "text-ink",
            column.align === "right" && "flex-row-reverse",
          )}
        >
          {column.title}
          <Icon aria-hidden className={cn("size-3", !falls && !rises && "opacity-50")} />
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

const lines = ["a", "b", "c", "d", "e", "f", "g", "h"];

function LoadingRows({ columns }: { columns: number }) {
  return lines.map((line) => (
    <tr key={line}>
      <td colSpan={columns} className="h-9 border-b px-4">
        <Skeleton className={Number.parseInt(line, 36) % 2 ? "w-4/5" : "w-11/12"} />
      </td>
    </tr>
  ));
}
