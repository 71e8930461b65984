import { Checkbox } from "@/ui/Checkbox";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { type ImportForm, kindHasField } from "./form";
import { importWords } from "./words";

export type Part = { wish: ImportForm; set: (part: Partial<ImportForm>) => void };

/** Where what is taken over comes from. */
export function SourceFields(props: Part) {
  return props.wish.kind === "database" ? <DatabaseFields {...props} /> : <TextFields {...props} />;
}

function DatabaseFields({ wish, set }: Part) {
  const t = useWords(importWords);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field name="address" className="sm:col-span-2" label={t("address")} help={t("addressHelp")} required>
        <Input
          mono
          value={wish.address}
          maxLength={1024}
          placeholder="jdbc:mysql://db:3306/xxl_job"
          onChange={(event) => set({ address: event.target.value })}
        />
      </Field>
      <Field name="user" label={t("user")} help={t("userHelp")}>
        <Input value={wish.user} maxLength={128} onChange={(event) => set({ user: event.target.value })} />
      </Field>
      <Field name="password" label={t("password")} help={t("passwordHelp")}>
        <Input
          type="password"
          autoComplete="new-password"
          value={wish.password}
          maxLength={1024}
          onChange={(event) => set({ password: event.target.value })}
        />
      </Field>
      <Field name="table_prefix" label={t("tablePrefix")} help={t("tablePrefixHelp")}>
        <Input
          mono
          value={wish.table_prefix}
          maxLength={64}
          placeholder="xxl_job_"
          onChange={(event) => set({ table_prefix: event.target.value.trim() })}
        />
      </Field>
    </div>
  );
}

function TextFields({ wish, set }: Part) {
  const t = useWords(importWords);
  const take = async (file: File | undefined) => {
    if (file) set({ text: await file.text() });
  };
  return (
    <div className="flex flex-col gap-4">
      <Field label={t("file")}>
        <input
          type="file"
          aria-label={t("file")}
          className="max-w-full text-sm"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </Field>
      <Field name="text" label={t("fileText")} help={t("fileHelp")} required>
        <Textarea
          mono
          rows={8}
          value={wish.text}
          className="max-h-96 text-xs"
          onChange={(event) => set({ text: event.target.value })}
        />
      </Field>
      {kindHasField(wish.kind, "system") && (
        <Checkbox checked={wish.system} onChange={(system) => set({ system })}>
          {t("system")}
        </Checkbox>
      )}
    </div>
  );
}
