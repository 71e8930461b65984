import { useMemo } from "react";
import { useGet } from "@/api/query";
import type { Option } from "@/ui/Select";

/** The rules and channels of a namespace, to choose from. */
export function useDefinitionOptions(namespace: string): { rules: Option[]; channels: Option[]; loaded: boolean } {
  const rules = useGet("/alarm/rules", { query: { namespace } });
  const channels = useGet("/alarm/channels", { query: { namespace } });
  return useMemo(
    () => ({
      rules: (rules.data?.rules ?? []).map((one) => ({ value: one.key, label: one.key, help: one.title })),
      channels: (channels.data?.channels ?? []).map((one) => ({
        value: one.key,
        label: one.key,
        help: [one.kind, one.title].filter(Boolean).join(" · "),
      })),
      loaded: Boolean(rules.data && channels.data),
    }),
    [rules.data, channels.data],
  );
}
