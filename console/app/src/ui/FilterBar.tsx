import { ListFilter, Plus, Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { FilterChip } from "./FilterChip";
import { Input } from "./Input";
import { Menu, MenuItem } from "./Menu";
import type { Options } from "./options";
import { useDebounced } from "./useDebounced";

/** One thing that a list is narrowed by. */
export type Filter = {
  /** The name of the search parameter. */
  name: string;
  label: string;
  /** `one` and `many` choose from options, `text` is typed, `time` is an instant, `flag` is yes or no. */
  kind: "one" | "many" | "text" | "time" | "flag";
  options?: Options;
  /** Shown also when it is not set. */
  pinned?: boolean;
  placeholder?: string;
};

/** The filters that are set, as the address bar has them. */
export type FilterValues = Record<string, string | string[] | boolean | undefined>;

/** Whether a filter narrows. */
export const isSet = (value: FilterValues[string]) =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";

/**
 * The filters of a list. `values` come from the address bar, `onChange` puts what changed back: undefined takes
 * a filter away. `search` is the name of the parameter for free text.
 */
export function FilterBar({
  filters,
  values,
  onChange,
  search,
  searchLabel,
  children,
}: {
  filters: readonly Filter[];
  values: FilterValues;
  onChange: (changed: FilterValues) => void;
  search?: string;
  searchLabel?: string;
  /** What stands at the right: the column chooser, saved views. */
  children?: ReactNode;
}) {
  const t = useWords(sharedWords);
  const [added, setAdded] = useState<string | null>(null);
  const shown = filters.filter((filter) => filter.pinned || isSet(values[filter.name]) || filter.name === added);
  const hidden = filters.filter((filter) => !shown.includes(filter));
  const set = filters.filter((filter) => isSet(values[filter.name]));
  const clear = () => {
    const cleared: FilterValues = Object.fromEntries(set.map((filter) => [filter.name, undefined]));
    if (search) cleared[search] = undefined;
    setAdded(null);
    onChange(cleared);
  };
  return (
    <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
      {search && (
        <SearchBox
          value={String(values[search] ?? "")}
          label={searchLabel ?? t("search")}
          onChange={(text) => onChange({ [search]: text || undefined })}
        />
      )}
      {shown.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          value={values[filter.name]}
          startOpen={filter.name === added}
          onClose={() => setAdded(null)}
          onChange={(value) => onChange({ [filter.name]: value })}
        />
      ))}
      {hidden.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button look="quiet" icon={set.length > 0 ? Plus : ListFilter}>
              {t("filter")}
            </Button>
          }
        >
          {hidden.map((filter) => (
            <MenuItem key={filter.name} onSelect={() => setTimeout(() => setAdded(filter.name), 0)}>
              {filter.label}
            </MenuItem>
          ))}
        </Menu>
      )}
      {(set.length > 0 || (search && isSet(values[search]))) && (
        <Button look="quiet" onClick={clear}>
          {t("clearFilters")}
        </Button>
      )}
      {children && <span className="ml-auto flex items-center gap-2">{children}</span>}
    </div>
  );
}

function SearchBox({ value, label, onChange }: { value: string; label: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const settled = useDebounced(text, 250);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed and has settled goes out.
  useEffect(() => {
    if (settled === text && settled !== value) onChange(settled);
  }, [settled]);
  return (
    <Input
      type="search"
      icon={Search}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onClear={() => {
        setText("");
        onChange("");
      }}
      className="w-60 max-w-full [&_input::-webkit-search-cancel-button]:hidden"
      data-search
    />
  );
}
