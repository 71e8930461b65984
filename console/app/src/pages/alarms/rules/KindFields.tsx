import { Checkbox } from "@/ui/Checkbox";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { useWords } from "@/words";
import { kindHelpWords, kindWords } from "../words";
import { kinds, type NumberName, needs, numberNames, type RuleValues, usual } from "./rule";
import { ruleWords } from "./words";

/** What raises a rule: its kinds, and what they go by. */
export function KindFields({ values, set }: { values: RuleValues; set: (part: Partial<RuleValues>) => void }) {
  const t = useWords(ruleWords);
  const kind = useWords(kindWords);
  const help = useWords(kindHelpWords);
  const shown = numberNames.filter((name) => needs(name, values.kinds));
  return (
    <>
      <Field name="kinds" group required label={t("what")} help={t("kindsGroup")}>
        <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
          {kinds.map((one) => (
            <Checkbox
              key={one}
              checked={values.kinds.includes(one)}
              help={help(one)}
              onChange={(on) => set({ kinds: kinds.filter((k) => (k === one ? on : values.kinds.includes(k))) })}
            >
              {kind(one)}
            </Checkbox>
          ))}
        </div>
      </Field>
      {shown.length > 0 && (
        <div className="grid gap-3 rounded-md border bg-side p-3 sm:grid-cols-2">
          {shown.map((name) => (
            <Field key={name} name={name} label={labelOf(name, values, t)} help={helpOf(name, t)}>
              <Input
                mono
                placeholder={usual(name, values.kinds)}
                value={values.numbers[name]}
                onChange={(event) => set({ numbers: { ...values.numbers, [name]: event.target.value.trim() } })}
              />
            </Field>
          ))}
        </div>
      )}
    </>
  );
}

type Words = ReturnType<typeof useWords<keyof (typeof ruleWords)["entries"] & string>>;

function labelOf(name: NumberName, values: RuleValues, t: Words): string {
  if (name === "count") return t(values.kinds.includes("backlog") ? "count_backlog" : "count_streak");
  return t(name);
}

function helpOf(name: NumberName, t: Words): string | undefined {
  if (name === "longer") return t("longerHelp");
  return name === "factor" ? t("factorHelp") : undefined;
}
