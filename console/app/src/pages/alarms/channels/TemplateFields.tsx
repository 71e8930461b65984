import { Button } from "@/ui/Button";
import { Code } from "@/ui/Code";
import { Field } from "@/ui/Field";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { Part } from "../Part";
import type { ChannelValues } from "./channel";
import { channelWords } from "./words";

const fields =
  ".Test .State .Severity .Title .Text .Namespace .Rule .Group .At .Link .AlarmLink .Alarms .Events .Items .Reasons .More .Log";
const functions = "date duration truncate upper lower join json kind severity";

const starts = {
  en: {
    title: "{{if .Test}}test{{else}}[{{severity .Severity}}] {{.Rule}}: {{.Events}} events{{end}}",
    text: "{{range .Reasons}}{{.Count}} × {{truncate 80 .Text}}\n{{end}}{{.Link}}",
  },
  zh: {
    title: "{{if .Test}}测试{{else}}[{{severity .Severity}}] {{.Rule}}：{{.Events}} 次事件{{end}}",
    text: "{{range .Reasons}}{{.Count}} 次：{{truncate 80 .Text}}\n{{end}}{{.Link}}",
  },
};

/** The templates of a channel's messages. */
export function TemplateFields({
  values,
  set,
}: {
  values: ChannelValues;
  set: (part: Partial<ChannelValues>) => void;
}) {
  const t = useWords(channelWords);
  const start = starts[values.language];
  const empty = values.templateTitle === "" && values.templateText === "";
  return (
    <Part title={t("texts")} text={t("textsHelp")}>
      <Field name="template.title" label={t("templateTitle")}>
        <Textarea
          mono
          rows={1}
          value={values.templateTitle}
          placeholder={start.title}
          onChange={(event) => set({ templateTitle: event.target.value })}
        />
      </Field>
      <Field name="template.text" label={t("templateText")}>
        <Textarea
          mono
          value={values.templateText}
          placeholder={start.text}
          onChange={(event) => set({ templateText: event.target.value })}
        />
      </Field>
      {empty && (
        <Button
          size="small"
          className="self-start"
          onClick={() => set({ templateTitle: start.title, templateText: start.text })}
        >
          {t("start")}
        </Button>
      )}
      <p className="text-soft text-xs leading-6">
        {t("fields")}: <Words of={fields} />
        <br />
        {t("functions")}: <Words of={functions} />
      </p>
    </Part>
  );
}

function Words({ of }: { of: string }) {
  return of.split(" ").map((word) => (
    <span key={word}>
      <Code>{word}</Code>{" "}
    </span>
  ));
}
