import { X } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import { groupFinder } from "@/pages/runs/useRunFilters";
import type { Grant } from "@/session/rights";
import { Button } from "@/ui/Button";
import { Combobox } from "@/ui/Combobox";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";
import { GrantWhere, roleWord } from "./GrantWhere";
import { all, roles, sameGrant, textOfGrant } from "./grants";
import { userWords } from "./words";

/** A role in a place: which, in which namespace, and in which group of it. */
export function GrantFields({
  grant,
  onChange,
  asFields,
  allowed = roles,
}: {
  grant: Grant;
  onChange: (grant: Grant) => void;
  /** Whether its parts are fields of the form under their own names. */
  asFields?: boolean;
  allowed?: readonly Grant["role"][];
}) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const role = useWords(roleWords);
  const namespaces = useGet("/namespaces");
  const named = namespaces.data?.namespaces.map((one) => one.name) ?? [];
  return (
    <div className="flex flex-col gap-3">
      <Field name={asFields ? "role" : undefined} label={t("role")} help={t(grant.role)}>
        <Select
          value={grant.role}
          onChange={(next) => onChange({ ...grant, role: next })}
          options={allowed.map((value) => ({ value, label: role(roleWord(value)), help: t(value) }))}
        />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field name={asFields ? "namespace" : undefined} label={shared("namespace")}>
          <Combobox
            value={grant.namespace}
            onChange={(next) => onChange({ ...grant, namespace: next || all, group: next === all ? all : grant.group })}
            options={[{ value: all, label: t("allNamespaces") }, ...named.map((value) => ({ value, label: value }))]}
            free
          />
        </Field>
        <Field name={asFields ? "group" : undefined} label={shared("group")}>
          <Combobox
            value={grant.group === all ? "" : grant.group}
            onChange={(next) => onChange({ ...grant, group: next || all })}
            options={groupFinder(grant.namespace)}
            placeholder={t("allGroups")}
            disabled={grant.namespace === all}
            clearable
            free
          />
        </Field>
      </div>
    </div>
  );
}

/** Several grants that are not saved yet: with those that are there, and fields for another one. */
export function GrantDraft({ grants, onChange }: { grants: readonly Grant[]; onChange: (grants: Grant[]) => void }) {
  const t = useWords(userWords);
  const [draft, setDraft] = useState<Grant>({ role: "viewer", namespace: "default", group: all });
  const twice = grants.some((one) => sameGrant(one, draft));
  return (
    <div className="flex flex-col gap-3 rounded-md border p-3">
      {grants.length > 0 && (
        <ul className="flex flex-col gap-1">
          {grants.map((one) => (
            <li key={textOfGrant(one)} className="flex items-center gap-2 rounded-md bg-sunken py-0.5 pr-0.5 pl-2.5">
              <GrantWhere grant={one} withRole />
              <span className="flex-1" />
              <IconButton
                icon={X}
                size="small"
                label={t("removeGrant", { grant: textOfGrant(one) })}
                onClick={() => onChange(grants.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
      )}
      <GrantFields grant={draft} onChange={setDraft} />
      <Button
        size="small"
        className="self-start"
        reason={twice ? t("twice") : undefined}
        onClick={() => onChange([...grants, draft])}
      >
        {t("addGrant")}
      </Button>
    </div>
  );
}
