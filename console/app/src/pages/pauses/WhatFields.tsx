import type { Schema } from "@/api/types";
import { groupFinder } from "@/pages/runs/useRunFilters";
import { useSession } from "@/session/session";
import { Field } from "@/ui/Field";
import { MultiSelect } from "@/ui/MultiSelect";
import { RadioGroup } from "@/ui/RadioGroup";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { PauseValues } from "./pause";
import { pauseWords } from "./words";

/** Help on the ground of a chosen card, where fainter words are not read well. */
export const soft = (help: string) => <span className="text-soft">{help}</span>;

/** What a pause holds: everything, a namespace, or groups of executors. */
export function WhatFields({
  values,
  set,
  namespaces,
}: {
  values: PauseValues;
  set: (part: Partial<PauseValues>) => void;
  namespaces: readonly Schema<"Namespace">[];
}) {
  const t = useWords(pauseWords);
  const shared = useWords(sharedWords);
  const { may } = useSession();
  const all = may("edit", "*", "*");
  const names = [...new Set([values.namespace, ...namespaces.map((one) => one.name)])].filter(Boolean);
  return (
    <>
      <Field label={t("what")} group>
        <RadioGroup
          cards
          label={t("what")}
          value={values.what}
          onChange={(what) => set({ what, namespace: values.namespace || (names[0] ?? "default") })}
          options={[
            { value: "groups", label: t("inGroups"), help: soft(t("inGroupsHelp")) },
            { value: "namespace", label: t("inNamespace"), help: soft(t("inNamespaceHelp")) },
            { value: "everything", label: t("everything"), help: soft(t("everythingHelp")), disabled: !all },
          ]}
        />
      </Field>
      {values.what !== "everything" && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field name="namespace" label={shared("namespace")}>
            <Select
              value={values.namespace}
              onChange={(namespace) => set({ namespace })}
              options={[
                ...names.map((value) => ({ value, label: value })),
                ...(all && values.what === "groups" ? [{ value: "", label: t("anywhere") }] : []),
              ]}
            />
          </Field>
          {values.what === "groups" && (
            <Field name="groups" label={t("inGroups")} required>
              <MultiSelect
                free
                value={values.groups}
                onChange={(groups) => set({ groups })}
                options={groupFinder(values.namespace)}
              />
            </Field>
          )}
        </div>
      )}
    </>
  );
}
