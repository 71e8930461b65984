import { Columns3 } from "lucide-react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { IconButton } from "./IconButton";
import { Menu, MenuCheck, MenuLabel } from "./Menu";
import type { Column } from "./Table";

/** Picks the columns of a table. `shown` is kept in the address bar by the page; undefined is the usual ones. */
export function ColumnChooser<R>({
  columns,
  shown,
  onChange,
}: {
  columns: readonly Column<R>[];
  shown: readonly string[] | undefined;
  onChange: (shown: string[] | undefined) => void;
}) {
  const t = useWords(sharedWords);
  const usual = columns.filter((column) => !column.extra).map((column) => column.id);
  const now = shown ?? usual;
  const change = (id: string, on: boolean) => {
    const next = columns.map((column) => column.id).filter((one) => (one === id ? on : now.includes(one)));
    onChange(next.join() === usual.join() ? undefined : next);
  };
  return (
    <Menu trigger={<IconButton icon={Columns3} label={t("columns")} look="plain" />}>
      <MenuLabel>{t("columns")}</MenuLabel>
      {columns.map((column) => (
        <MenuCheck
          key={column.id}
          checked={column.fixed || now.includes(column.id)}
          disabled={column.fixed}
          onChange={(on) => change(column.id, on)}
        >
          {column.title}
        </MenuCheck>
      ))}
    </Menu>
  );
}
