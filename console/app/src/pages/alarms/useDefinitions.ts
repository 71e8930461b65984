import { useMemo } from "react";
import { useGet } from "@/api/query";
import type { Option } from "@/ui/Select";

/** Those of several namespaces that have one key are one choice. */
const byKey = <T extends { key: string }>(all: readonly T[]): T[] => [
  ...new Map(all.map((one) => [one.key, one])).values(),
];

/** The rules and channels of a namespace, or of all when it is empty, to choose from. */
export function useDefinitionOptions(namespace: string): { rules: Option[]; channels: Option[]; loaded: boolean } {
  const query = { namespace: namespace || undefined };
  const rules = useGet("/alarm/rules", { query });
  const channels = useGet("/alarm/channels", { query });
  return useMemo(
    () => ({
      rules: byKey(rules.data?.rules ?? []).map((one) => ({ value: one.key, label: one.key, help: one.title })),
      channels: byKey(channels.data?.channels ?? []).map((one) => ({
        value: one.key,
        label: one.key,
        help: [one.kind, one.title].filter(Boolean).join(" · "),
      })),
      loaded: Boolean(rules.data && channels.data),
    }),
    [rules.data, channels.data],
  );
}
