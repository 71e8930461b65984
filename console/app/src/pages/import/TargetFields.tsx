import { get } from "@/api/client";
import { useGet } from "@/api/query";
import { Checkbox } from "@/ui/Checkbox";
import { Combobox } from "@/ui/Combobox";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";
import { type ImportForm, kindHasField } from "./form";
import type { Part } from "./SourceFields";
import { importWords } from "./words";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((one) => one !== "UTC")].map((value) => ({
  value,
  label: value,
}));

const roles = ["viewer", "operator", "editor", "scripter", "owner"] as const;

/** Where what is taken over goes, and what becomes of it. */
export function TargetFields({ wish, set }: Part) {
  const t = useWords(importWords);
  const shared = useWords(sharedWords);
  const { data } = useGet("/namespaces", {}, { staleTime: 60_000 });
  const spaces = (data?.namespaces ?? []).map((one) => ({ value: one.name, label: one.name }));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field name="namespace" label={shared("namespace")} help={t("namespaceHelp")} required>
        <Combobox free value={wish.namespace} onChange={(namespace) => set({ namespace })} options={spaces} />
      </Field>
      <Field name="zone" label={t("zone")} help={t(wish.kind === "database" ? "zoneHelp" : "zoneTextHelp")}>
        <Combobox clearable value={wish.zone} onChange={(zone) => set({ zone })} options={zones} />
      </Field>
      {kindHasField(wish.kind, "group") && <GroupFields wish={wish} set={set} />}
      {kindHasField(wish.kind, "prefix") && (
        <Field name="prefix" label={t("prefix")} help={t("prefixHelp")}>
          <Input
            mono
            value={wish.prefix}
            maxLength={32}
            onChange={(event) => set({ prefix: event.target.value.trim() })}
          />
        </Field>
      )}
      <div className="flex flex-col gap-3 sm:col-span-2">
        {kindHasField(wish.kind, "start") && (
          <Checkbox checked={wish.start} onChange={(start) => set({ start })} help={t("startHelp")}>
            {t("start")}
          </Checkbox>
        )}
        {kindHasField(wish.kind, "users") && <PeopleFields wish={wish} set={set} />}
      </div>
    </div>
  );
}

function GroupFields({ wish, set }: Part) {
  const t = useWords(importWords);
  const json = wish.kind === "json";
  const lookup = async (text: string, signal: AbortSignal) => {
    const found = await get("/groups", { query: { namespace: wish.namespace }, signal });
    return found.groups
      .filter((group) => `${group.key} ${group.title ?? ""}`.toLowerCase().includes(text.toLowerCase()))
      .map((group) => ({ value: group.key, label: group.key, help: group.title }));
  };
  return (
    <>
      <Field name="group" label={t(json ? "groupJSON" : "group")} required={!json}>
        <Combobox
          free
          value={wish.group}
          onChange={(group) => set({ group })}
          options={{ key: ["import groups", wish.namespace], lookup }}
        />
      </Field>
      {json && (
        <Field name="groups" label={t("groups")} help={t("groupsHelp")}>
          <Textarea mono value={wish.groups} onChange={(event) => set({ groups: event.target.value })} />
        </Field>
      )}
    </>
  );
}

function PeopleFields({ wish, set }: Part) {
  const t = useWords(importWords);
  const named = useWords(roleWords);
  return (
    <>
      <Checkbox checked={wish.users} onChange={(users) => set({ users })} help={t("usersHelp")}>
        {t("users")}
      </Checkbox>
      {wish.users && (
        <Field name="role" label={t("role")} className="ml-6 max-w-64">
          <Select<ImportForm["role"]>
            value={wish.role}
            onChange={(role) => set({ role })}
            options={roles.map((value) => ({ value, label: named(value) }))}
          />
        </Field>
      )}
      <Checkbox checked={wish.executors} onChange={(executors) => set({ executors })} help={t("executorsHelp")}>
        {t("executors")}
      </Checkbox>
    </>
  );
}
