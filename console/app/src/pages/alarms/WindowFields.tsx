import { FiringsPreview } from "@/pages/jobs/form/FiringsPreview";
import { Combobox } from "@/ui/Combobox";
import { Field } from "@/ui/Field";
import { zone as ownZone } from "@/ui/format";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { silenceWords } from "./silences/words";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((one) => one !== "UTC")].map((value) => ({
  value,
  label: value,
}));

/** A time that comes again, as forms have it. */
export type WindowValues = { cron: string; zone: string; length: string };

/** When a window begins, again and again, and how long it lasts; with its next begins. */
export function WindowFields({
  value,
  onChange,
  namespace,
  names,
}: {
  value: WindowValues;
  onChange: (changed: Partial<WindowValues>) => void;
  namespace: string;
  /** The names of its fields in the form. */
  names: Record<keyof WindowValues, string>;
}) {
  const t = useWords(silenceWords);
  const cron = value.cron.trim();
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field name={names.cron} label={t("cron")} required help={t("cronHelp")}>
          <Input
            mono
            placeholder="0 0 2 ? * SUN"
            value={value.cron}
            onChange={(event) => onChange({ cron: event.target.value })}
          />
        </Field>
        <Field name={names.length} label={t("length")} required help={t("lengthHelp")}>
          <Input
            mono
            placeholder="3h"
            value={value.length}
            onChange={(event) => onChange({ length: event.target.value.trim() })}
          />
        </Field>
        <Field name={names.zone} label={t("zone")}>
          <Combobox value={value.zone || ownZone} onChange={(zone) => onChange({ zone })} options={zones} />
        </Field>
      </div>
      {cron && (
        <FiringsPreview
          schedule={{ kind: "cron", cron, zone: value.zone || "UTC" } as never}
          namespace={namespace}
          jobKey=""
        />
      )}
    </div>
  );
}
