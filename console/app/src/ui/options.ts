import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Option } from "./Select";
import { useDebounced } from "./useDebounced";

/** Finds options for what was typed; the server looks for them. `key` names the source for the cache. */
export type Finder<V extends string = string> = {
  key: readonly unknown[];
  lookup: (text: string, signal: AbortSignal) => Promise<Option<V>[]>;
};

/** Options: all of them, or what finds them. */
export type Options<V extends string = string> = readonly Option<V>[] | Finder<V>;

/** The text that an option is found by. */
export function textOf(option: Option): string {
  return option.text ?? (typeof option.label === "string" ? option.label : option.value);
}

/** The options that hold all the words of a text, in any case. */
export function matching<V extends string>(options: readonly Option<V>[], text: string): readonly Option<V>[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return options;
  return options.filter((option) => {
    const hay = `${textOf(option)} ${option.value}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

const isFinder = <V extends string>(options: Options<V>): options is Finder<V> => "lookup" in options;

/** The options for what was typed so far. */
export function useOptions<V extends string>(options: Options<V>, text: string, open: boolean) {
  const settled = useDebounced(text);
  const finder = isFinder(options) ? options : null;
  const found = useQuery({
    queryKey: ["options", ...(finder?.key ?? []), settled],
    queryFn: ({ signal }) => finder?.lookup(settled, signal) ?? [],
    enabled: open && finder !== null,
    placeholderData: (before) => before,
    staleTime: 10_000,
  });
  const local = useMemo(() => (isFinder(options) ? [] : matching(options, text)), [options, text]);
  return { options: finder ? (found.data ?? []) : local, loading: finder !== null && found.isPending && open };
}
