import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { type ChannelValues, choices, lined, type Setting, settingName } from "./channel";
import { fieldDoc, fieldDocWords } from "./fieldDocs";
import { channelWords, settingWords } from "./words";

/** The fields of a channel kind, as the server lists them: settings and write-only secrets. */
export function SettingFields({
  values,
  set,
  fields,
  kept,
}: {
  values: ChannelValues;
  set: (part: Partial<ChannelValues>) => void;
  fields: readonly Setting[];
  /** The names of the secrets that are set. */
  kept: readonly string[];
}) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map((field) => (
        <OneField key={field.name} {...{ field, values, set }} kept={kept.includes(field.name)} />
      ))}
    </div>
  );
}

type Props = {
  field: Setting;
  values: ChannelValues;
  set: (part: Partial<ChannelValues>) => void;
  kept: boolean;
};

function OneField({ field, values, set, kept }: Props) {
  const t = useWords(channelWords);
  const names = useWords(settingWords);
  const docs = useWords(fieldDocWords);
  const { name, secret } = field;
  const label = name in settingWords.entries ? names(name as Parameters<typeof names>[0]) : name;
  const dropped = values.dropped.includes(name);
  const value = (secret ? values.secrets[name] : values.settings[name]) ?? "";
  const change = (typed: string) =>
    set(
      secret ? { secrets: { ...values.secrets, [name]: typed } } : { settings: { ...values.settings, [name]: typed } },
    );
  const drop = () =>
    set({ dropped: dropped ? values.dropped.filter((one) => one !== name) : [...values.dropped, name] });
  const usual = field.default ? t("usual", { value: field.default }) : "";
  const placeholder = kept ? t(dropped ? "takenAway" : "kept") : usual;
  const wide = lined.includes(name) || name === "url";
  return (
    <Field
      name={settingName(field)}
      label={label}
      aside={<code className="font-mono">{name}</code>}
      required={field.needed && !kept}
      help={fieldDoc(docs, values.kind, field)}
      className={wide ? "sm:col-span-2" : undefined}
    >
      <span className="flex items-start gap-2">
        <Control {...{ name, secret, value, placeholder, change }} disabled={dropped} />
        {kept && !field.needed && (
          <Button onClick={drop} aria-label={`${t(dropped ? "keep" : "takeAway")}: ${label}`}>
            {t(dropped ? "keep" : "takeAway")}
          </Button>
        )}
      </span>
    </Field>
  );
}

function Control({
  name,
  secret,
  value,
  placeholder,
  disabled,
  change,
}: {
  name: string;
  secret: boolean;
  value: string;
  placeholder: string;
  disabled: boolean;
  change: (typed: string) => void;
}) {
  const words = choices[name];
  if (words) {
    return (
      <Select
        value={value}
        onChange={change}
        options={[{ value: "", label: placeholder || "–" }, ...words.map((word) => ({ value: word, label: word }))]}
      />
    );
  }
  if (lined.includes(name)) {
    return (
      <Textarea
        mono
        value={value}
        disabled={disabled}
        placeholder={placeholder}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return (
    <Input
      mono
      type={secret ? "password" : "text"}
      autoComplete={secret ? "new-password" : "off"}
      value={value}
      disabled={disabled}
      placeholder={placeholder}
      onChange={(event) => change(event.target.value)}
    />
  );
}
