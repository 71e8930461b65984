import { Field } from "@/ui/Field";
import { RadioGroup } from "@/ui/RadioGroup";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { runsWords } from "./words";

/** The run's own parameter or another one: an empty one is not the same as none. */
export function ParamChoice({
  same,
  setSame,
  param,
  setParam,
  fixed,
}: {
  same: boolean;
  setSame: (same: boolean) => void;
  param: string;
  setParam: (param: string) => void;
  /** Why there can be no other parameter. */
  fixed?: string;
}) {
  const t = useWords(runsWords);
  return (
    <>
      <RadioGroup
        label={t("param")}
        cards
        value={same ? "same" : "other"}
        onChange={(value) => setSame(value === "same")}
        options={[
          { value: "same", label: t("sameParam"), help: t("sameParamHelp") },
          {
            value: "other",
            label: t("otherParam"),
            help: fixed ?? t("otherParamHelp"),
            disabled: Boolean(fixed),
          },
        ]}
      />
      {!same && (
        <Field name="param" label={t("param")}>
          <Textarea mono rows={4} value={param} onChange={(event) => setParam(event.target.value)} />
        </Field>
      )}
    </>
  );
}
