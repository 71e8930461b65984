import { InstantInput } from "@/pages/jobs/dialogs/InstantInput";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/words";
import { WindowFields } from "../alarms/WindowFields";
import type { PauseValues } from "./pause";
import { pauseWords } from "./words";

const hours = [1, 2, 4, 8, 24];

/** When a pause holds: its bounds, and its window when it comes again. */
export function WhenFields({ values, set }: { values: PauseValues; set: (part: Partial<PauseValues>) => void }) {
  const t = useWords(pauseWords);
  if (values.when === "now") return null;
  const start = () => (values.from ? Date.parse(values.from) : Date.now());
  return (
    <>
      {values.when === "window" && (
        <WindowFields
          value={values}
          onChange={set}
          namespace={values.namespace || "default"}
          names={{ cron: "window.cron", zone: "window.zone", length: "window.for" }}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field name="from" label={t("from")} help={t("fromHelp")}>
          <InstantInput value={values.from} onChange={(from) => set({ from })} />
        </Field>
        <Field name="until" label={t("until")} help={t("untilHelp")}>
          <InstantInput value={values.until} onChange={(until) => set({ until })} />
        </Field>
      </div>
      {values.when === "span" && (
        <div className="flex flex-wrap items-center gap-1">
          <span className="mr-1 text-soft">{t("for")}</span>
          {hours.map((count) => (
            <Button
              key={count}
              size="small"
              onClick={() => set({ until: new Date(start() + count * 3_600_000).toISOString() })}
            >
              {t("hours", { count })}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
