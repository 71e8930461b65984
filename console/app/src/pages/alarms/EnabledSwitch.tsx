import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSession } from "@/session/session";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { ruleWords } from "./rules/words";
import { alarmWords } from "./words";

type Definition = { key: string; namespace?: string; version: number; enabled: boolean };

/** Whether a rule or a channel is in force; who has the right may change it at once. */
export function EnabledSwitch({
  one,
  right,
  list,
  save,
}: {
  one: Definition;
  right: "edit" | "own";
  /** The query of the list that it stands in. */
  list: "/alarm/rules" | "/alarm/channels";
  save: (body: Pick<Definition, "enabled" | "version">) => Promise<unknown>;
}) {
  const t = useWords(ruleWords);
  const a = useWords(alarmWords);
  const toast = useToast();
  const queries = useQueryClient();
  const { may } = useSession();
  const [busy, setBusy] = useState(false);
  const { key, namespace, version } = one;
  const set = async (enabled: boolean) => {
    setBusy(true);
    try {
      await save({ enabled, version });
      toast.done(t(enabled ? "didEnable" : "didDisable", { key }));
    } catch (error) {
      toast.failed(error);
    } finally {
      await queries.invalidateQueries({ queryKey: [list] });
      setBusy(false);
    }
  };
  if (!may(right, namespace, "*")) return one.enabled ? a("enabled") : a("disabled");
  return (
    <Switch
      checked={one.enabled}
      disabled={busy}
      label={t("enable", { key })}
      onChange={(enabled) => void set(enabled)}
    />
  );
}
