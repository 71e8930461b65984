import { Field } from "@/ui/Field";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { Creation } from "./useCreation";
import { alarmWords } from "./words";

/** Where a definition is, or is to be made, for forms on pages that show all namespaces. */
export function NamespaceField({ namespace, making }: { namespace: string; making?: Creation }) {
  const t = useWords(alarmWords);
  const shared = useWords(sharedWords);
  if (!making) return <p className="text-soft">{t("isIn", { namespace })}</p>;
  return (
    <Field label={shared("namespace")} required help={t("madeIn")}>
      <Select
        value={namespace}
        onChange={making.choose}
        options={making.spaces.map((value) => ({ value, label: value }))}
      />
    </Field>
  );
}
