import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { commandOf, paramOfCommand } from "./command";
import { Pairs } from "./Pairs";
import { WrittenFields } from "./WrittenFields";
import { formWords } from "./words";

/** The program of a job that runs a command, with its arguments, its folder and its variables. */
export function CommandFields() {
  const t = useWords(formWords);
  return (
    <WrittenFields name="command" label={t("command")} read={commandOf} write={paramOfCommand}>
      {(command, set) => (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field name="param.program" label={t("program")} help={t("programHelp")} required>
              <Input
                mono
                placeholder="/usr/bin/rsync"
                value={command.program}
                onChange={(event) => set({ ...command, program: event.target.value })}
              />
            </Field>
            <Field name="param.dir" label={t("workingDir")} help={t("workingDirHelp")}>
              <Input
                mono
                placeholder="/srv/data"
                value={command.dir}
                onChange={(event) => set({ ...command, dir: event.target.value })}
              />
            </Field>
          </div>
          <Field name="param.args" label={t("arguments")} help={t("argumentsHelp")}>
            <Textarea
              mono
              placeholder={"-a\n--delete\n/srv/data/\nbackup:/srv/data/"}
              value={command.args}
              onChange={(event) => set({ ...command, args: event.target.value })}
            />
          </Field>
          <Field group name="param.env" label={t("variables")} help={t("variablesHelp")}>
            <Pairs
              value={command.env}
              onChange={(env) => set({ ...command, env })}
              add={t("addVariable")}
              names={[t("variable"), t("labelValue")]}
            />
          </Field>
        </>
      )}
    </WrittenFields>
  );
}
